#include "tools/cuda_runner.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>

#include "base/fail.hpp"
#include "device/parameter_layout.hpp"
#include "ptx/parser.hpp"

namespace heddle::test {
namespace {

// The few declarations of the driver interface that are needed.
using Result = int;
using DevicePointer = unsigned long long;
struct CudaRunnerModule {
  std::string source;
  int optimization = 0;
  void* handle = nullptr;
  ptx::Module parsed;
};

}  // namespace

struct CudaRunner::Driver {
  void* library = nullptr;
  void* context = nullptr;
  CudaRunnerModule module;

  template <class F>
  F* find(const char* name) const {
    void* symbol = dlsym(library, name);
    if (!symbol) base::fail(ErrorCode::not_found, "the CUDA driver has no {}", name);
    return reinterpret_cast<F*>(symbol);
  }
  template <class... Parameters, class... Arguments>
  void call(const char* name, Arguments... arguments) const {
    const Result result = find<Result(Parameters...)>(name)(arguments...);
    if (result != 0) base::fail(ErrorCode::kernel_fault, "{} gives CUDA error {}", name, result);
  }

  void load(const PtxCase& c, int optimization) {
    if (module.handle && module.source == c.source && module.optimization == optimization) return;
    if (module.handle) call<void*>("cuModuleUnload", std::exchange(module.handle, nullptr));
    module.source = c.source;
    module.optimization = optimization;
    module.parsed = ptx::parse(c.source, c.file.filename().string());
    void* handle = nullptr;
    int option = 7;  // CU_JIT_OPTIMIZATION_LEVEL
    auto* value = reinterpret_cast<void*>(static_cast<std::uintptr_t>(optimization));
    call<void**, const void*, unsigned, int*, void**>("cuModuleLoadDataEx", &handle,
                                                      static_cast<const void*>(c.source.c_str()), 1u, &option, &value);
    module.handle = handle;
  }
};

CudaRunner::CudaRunner() : driver_(std::make_unique<Driver>()) {
  driver_->library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver_->library) base::fail(ErrorCode::not_found, "no CUDA driver: {}", dlerror());
  driver_->call<unsigned>("cuInit", 0u);
  int device = 0;
  driver_->call<int*, int>("cuDeviceGet", &device, 0);
  driver_->call<void**, int>("cuDevicePrimaryCtxRetain", &driver_->context, device);
  driver_->call<void*>("cuCtxSetCurrent", driver_->context);
}

CudaRunner::~CudaRunner() = default;

CaseResult CudaRunner::run(const PtxCase& c, int optimization) {
  CaseResult result;
  Driver& driver = *driver_;
  try {
    driver.load(c, optimization);
    void* function = nullptr;
    driver.call<void**, void*, const char*>("cuModuleGetFunction", &function, driver.module.handle, c.kernel.c_str());
    const ptx::Function* parsed = driver.module.parsed.find(c.kernel);
    if (!parsed) base::fail(ErrorCode::not_found, "no kernel '{}'", c.kernel);
    const auto layout = device::parameter_layout(parsed->parameters);
    std::vector<std::byte> packed(device::parameter_bytes(parsed->parameters));
    std::vector<DevicePointer> memory(c.arguments.size(), 0);
    for (std::size_t i = 0; i < c.arguments.size(); ++i) {
      const CaseArgument& argument = c.arguments[i];
      const std::vector<std::byte> host = to_bytes(argument);
      if (!argument.buffer) {
        std::memcpy(packed.data() + layout[i].offset, host.data(), host.size());
        continue;
      }
      driver.call<DevicePointer*, std::size_t>("cuMemAlloc_v2", &memory[i], std::max<std::size_t>(host.size(), 1));
      driver.call<DevicePointer, const void*, std::size_t>("cuMemcpyHtoD_v2", memory[i],
                                                           static_cast<const void*>(host.data()), host.size());
      std::memcpy(packed.data() + layout[i].offset, &memory[i], sizeof memory[i]);
    }
    const char* launch = c.cooperative ? "cuLaunchCooperativeKernel" : "cuLaunchKernel";
    std::vector<void*> pointers;  // in one buffer the machine code may have them in places of its own
    for (const auto& place : layout) pointers.push_back(packed.data() + place.offset);
    if (c.shared > 48 * 1024)
      driver.call<void*, int, int>("cuFuncSetAttribute", function, 8, static_cast<int>(c.shared));
    if (c.cooperative) {
      driver.call<void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**>(
          launch, function, c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z, c.shared, nullptr,
          pointers.data());
    } else {
      driver.call<void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**>(
          launch, function, c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z, c.shared, nullptr,
          pointers.data(), nullptr);
    }
    driver.call<>("cuCtxSynchronize");
    for (std::size_t i = 0; i < c.arguments.size(); ++i) {
      const CaseArgument& argument = c.arguments[i];
      std::vector<std::byte> host = to_bytes(argument);
      if (argument.buffer) {
        driver.call<void*, DevicePointer, std::size_t>("cuMemcpyDtoH_v2", static_cast<void*>(host.data()), memory[i],
                                                       host.size());
        driver.call<DevicePointer>("cuMemFree_v2", memory[i]);
      }
      result.arguments.push_back(from_bytes(argument, host));
    }
  } catch (const Error& error) {
    result.error = error.code();
    result.error_text = error.what();
  }
  return result;
}

}  // namespace heddle::test
