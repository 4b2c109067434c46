#include "cuda.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>
#include <type_traits>

namespace heddle::bench::grcuda {
namespace {

// cuGetProcAddress, as CUDA 12 and later have it.
using GetAddress = Result (*)(const char* name, void** function, int version, std::uint64_t flags, int* status);

}  // namespace

std::unique_ptr<Cuda> Cuda::open(std::string& why, const std::string& path, int ordinal) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays open, as drivers want it
  if (handle == nullptr) {
    why = fmt::format("there is no NVIDIA driver ({} is not found)", path);
    return nullptr;
  }
  std::unique_ptr<Cuda> cuda(new Cuda);
  if (!cuda->find_functions(handle, why) || !cuda->start(ordinal, why)) return nullptr;
  return cuda;
}

bool Cuda::find_functions(void* handle, std::string& why) {
  const auto get_address = reinterpret_cast<GetAddress>(dlsym(handle, "cuGetProcAddress_v2"));
  if (get_address == nullptr) {
    why = "the NVIDIA driver is older than CUDA 12 (it has no cuGetProcAddress_v2)";
    return false;
  }
  const auto find = [&](auto& member, const char* name, int version) {
    void* found = nullptr;
    int status = 0;
    if (get_address(name, &found, version, 0, &status) != driver::success || found == nullptr) {
      why += fmt::format("{}the NVIDIA driver has no {} of CUDA {}.{}", why.empty() ? "" : "; ", name, version / 1000,
                         version % 1000 / 10);
      return;
    }
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(found);
  };
  why.clear();
#define HEDDLE_GRCUDA(member, name, version, parameters) find(member, name, version);
#include "functions.def"
#undef HEDDLE_GRCUDA
  return why.empty();
}

bool Cuda::start(int ordinal, std::string& why) {
  if (const Result result = init(0); result != driver::success) {
    why = result == driver::error_no_device ? "the NVIDIA driver sees no GPU"
                                            : "the NVIDIA driver does not start: " + describe(result);
    return false;
  }
  check(device_get(&number_, ordinal), "opening the GPU");
  check(primary_retain(&context_, number_), "making a context");
  check(context_set(context_), "choosing the context");
  check(device_attribute(&processors_, static_cast<int>(driver::DeviceAttribute::multiprocessors), number_),
        "counting SMs");
  check(stream_create(&stream_, driver::stream_non_blocking), "making a stream");
  return true;
}

Cuda::~Cuda() {
  if (stream_ != nullptr) stream_destroy(stream_);
  if (context_ != nullptr) primary_release(number_);
}

std::string Cuda::describe(Result result) const {
  const char *name = nullptr, *text = nullptr;
  error_name(result, &name);
  error_string(result, &text);
  return fmt::format("{} ({})", name != nullptr ? name : "CUDA error", text != nullptr ? text : std::to_string(result));
}

void Cuda::check(Result result, std::string_view what) const {
  if (result != driver::success) throw std::runtime_error(fmt::format("{} failed: {}", what, describe(result)));
}

std::string Cuda::text() const {
  char name[128] = {};
  int number = 0;
  check(device_name(name, sizeof name - 1, number_), "asking for the GPU's name");
  check(version(&number), "asking for the driver's version");
  return fmt::format("{}, driver for CUDA {}.{}", name, number / 1000, number % 1000 / 10);
}

}  // namespace heddle::bench::grcuda
