#include "device/cuda/driver.hpp"

#include <dlfcn.h>

#include "base/fail.hpp"
#include "device/cuda/library.hpp"

namespace heddle::device::cuda {
namespace {

using driver::Result;

// cuGetProcAddress, as CUDA 12 and later have it.
using GetAddress = Result (*)(const char* name, void** function, int version, std::uint64_t flags, int* status);

struct Found {
  std::shared_ptr<const Driver> driver;
  std::string why;
};

constexpr int oldest_version = 12040;

}  // namespace

std::shared_ptr<const Driver> Driver::open(std::string& why) {
  void* library = open_driver_library();
  if (!library) {
    why = "there is no NVIDIA driver (libcuda.so.1 is not found)";
    return nullptr;
  }
  std::shared_ptr<Driver> driver(new Driver);
  try {
    driver->find_functions(library);
  } catch (const Error& error) {
    why = error.what();
    return nullptr;
  }
  if (const Result result = driver->init(0); result != driver::success) {
    why = result == driver::error_no_device ? "the NVIDIA driver sees no GPU"
                                            : "the NVIDIA driver does not start: " + driver->describe(result);
    return nullptr;
  }
  driver->driver_version(&driver->version_);
  if (driver->version_ < oldest_version) {
    why = fmt::format("the NVIDIA driver knows CUDA {}.{}; at least {}.{} is needed", driver->version_ / 1000,
                      driver->version_ % 1000 / 10, oldest_version / 1000, oldest_version % 1000 / 10);
    return nullptr;
  }
  return driver;
}

void Driver::find_functions(void* library) {
  auto* get_address = reinterpret_cast<GetAddress>(dlsym(library, "cuGetProcAddress_v2"));
  if (!get_address)
    base::fail(ErrorCode::unsupported, "the NVIDIA driver is older than CUDA 12 (it has no cuGetProcAddress_v2)");
  const auto find = [&](auto& member, const char* name, int version, bool needed) {
    void* symbol = nullptr;
    int status = 0;
    const Result result = get_address(name, &symbol, version, 0, &status);
    if (result != driver::success || !symbol) {
      if (needed)
        base::fail(ErrorCode::unsupported, "the NVIDIA driver has no {} of CUDA {}.{}", name, version / 1000,
                   version % 1000 / 10);
      return;
    }
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(symbol);
  };
#define HEDDLE_CUDA(member, name, version, parameters) find(member, name, version, true);
#define HEDDLE_CUDA_OPTIONAL(member, name, version, parameters) find(member, name, version, false);
#include "device/cuda/driver_functions.def"
#undef HEDDLE_CUDA
#undef HEDDLE_CUDA_OPTIONAL
}

namespace {

// Looked for once in a process; the library stays open until it ends, as the driver wants it.
template <class Open>
const Found& process_driver(Open&& open) {
  static const Found found = [&] {
    Found result;
    result.driver = open(result.why);
    return result;
  }();
  return found;
}

}  // namespace

std::shared_ptr<const Driver> Driver::find() { return process_driver(&Driver::open).driver; }
std::string Driver::why() { return process_driver(&Driver::open).why; }

std::string Driver::describe(Result result) const {
  const char *name = nullptr, *text = nullptr;
  get_error_name(result, &name);
  get_error_string(result, &text);
  if (!name) return fmt::format("CUDA error {}", result);
  return text ? fmt::format("{} ({})", name, text) : name;
}

bool is_sticky(Result result) {
  switch (result) {
    case driver::error_ecc_uncorrectable:
    case driver::error_nvlink_uncorrectable:
    case driver::error_contained:
    case driver::error_illegal_address:
    case driver::error_launch_timeout:
    case driver::error_assert:
    case driver::error_hardware_stack:
    case driver::error_illegal_instruction:
    case driver::error_misaligned_address:
    case driver::error_invalid_address_space:
    case driver::error_invalid_pc:
    case driver::error_launch_failed: return true;
    default: return false;
  }
}

}  // namespace heddle::device::cuda
