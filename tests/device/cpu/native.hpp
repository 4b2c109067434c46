// A CPU device whose kernels are C++ functions with the signatures of generated code.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/cpu/cpu_device.hpp"
#include "heddle/error.hpp"

namespace heddle::device::cpu::test {

class NativeCode final : public KernelCode {
 public:
  bool contains(const void*) const override { return false; }
  unsigned line_of(const void*) const override { return 0; }
};

struct NativeKernel {
  std::string name;
  Shape shape = Shape::direct;
  const void* entry = nullptr;
  unsigned width = 32;
  std::uint32_t stack_bytes = 4096;
  unsigned pointers = 1;           // parameters: that many of type u64
  std::uint64_t shared_bytes = 0;  // static
  std::uint32_t frame_bytes = 0;   // shape of phases
};

inline NativeKernel direct(std::string name, DirectEntry entry, unsigned pointers = 1) {
  return {std::move(name), Shape::direct, reinterpret_cast<const void*>(entry), 32, 4096, pointers, 0};
}
inline NativeKernel phases(std::string name, PhaseEntry entry, std::uint32_t frame_bytes, unsigned pointers = 1,
                           unsigned width = 32) {
  return {std::move(name), Shape::phases, reinterpret_cast<const void*>(entry), width, 4096, pointers, 0, frame_bytes};
}
inline NativeKernel fiber(std::string name, WarpEntry entry, unsigned pointers = 1, unsigned width = 32) {
  return {std::move(name), Shape::fiber, reinterpret_cast<const void*>(entry), width, 4096, pointers, 0};
}

inline ptx::Variable u64_parameter(unsigned number) {
  ptx::Variable parameter;
  parameter.name = "p" + std::to_string(number);
  parameter.space = ptx::Space::param;
  parameter.type = ptx::Type::u64;
  return parameter;
}

class NativeDevice {
 public:
  explicit NativeDevice(std::vector<NativeKernel> kernels, CpuOptions options = {})
      : kernels_(std::move(kernels)),
        check_(options.check),
        device(
            [&] {
              options.cache = false;
              return options;
            }(),
            [this](const ptx::Module& source, std::uint32_t entry, const KernelUnit&, const std::string&,
                   const CodegenOptions&) { return code(source.functions[entry].name); },
            nullptr) {
    auto module = std::make_shared<ptx::Module>();
    module->version_major = 8;
    for (const NativeKernel& kernel : kernels_) {
      ptx::Function function;
      function.name = kernel.name;
      function.is_entry = true;
      for (unsigned i = 0; i < kernel.pointers; ++i) function.parameters.push_back(u64_parameter(i));
      if (kernel.shared_bytes != 0) {
        ptx::Variable shared;
        shared.name = "shared";
        shared.space = ptx::Space::shared;
        shared.dims = {kernel.shared_bytes};
        function.variables.push_back(shared);
      }
      module->functions.push_back(function);
    }
    LoadOptions load;
    load.check = check_;
    this->module = device.load(module, load);
  }

  Function& kernel(std::string_view name) { return module->function(name); }
  template <class... Arguments>
  void launch(Queue& queue, std::string_view name, LaunchConfig config, Arguments... arguments) {
    const std::uint64_t values[] = {reinterpret_cast<std::uint64_t>(arguments)..., 0};
    queue.launch(kernel(name), config, {0, config.grid.count()},
                 std::as_bytes(std::span(values, sizeof...(Arguments))));
  }

 private:
  std::shared_ptr<const KernelCode> code(const std::string& name) const {
    for (const NativeKernel& kernel : kernels_) {
      if (kernel.name != name) continue;
      auto made = std::make_shared<NativeCode>();
      made->shape = kernel.shape;
      made->width = kernel.width;
      made->stack_bytes = kernel.stack_bytes;
      made->static_shared_bytes = static_cast<std::uint32_t>(kernel.shared_bytes);
      made->frame_bytes = kernel.frame_bytes;
      made->entry = kernel.entry;
      return made;
    }
    return nullptr;
  }
  std::vector<NativeKernel> kernels_;
  const Checks check_;

 public:
  CpuDevice device;
  std::shared_ptr<Module> module;
};

// What a kernel written by hand asks of its contexts.
template <class T>
T* argument(const LaunchContext* launch, unsigned number) {
  std::uint64_t address = 0;
  std::memcpy(&address, launch->parameters + 8 * number, 8);
  return reinterpret_cast<T*>(address);
}
template <class T>
T* argument(const WarpContext* warp, unsigned number) {
  return argument<T>(warp->block->launch, number);
}
inline std::uint32_t block_threads(const LaunchContext* launch) {
  return launch->block[0] * launch->block[1] * launch->block[2];
}
// Fills in the scratch contexts as generated code of direct shape does, and calls f(thread) for each thread of the
// block.
template <class F>
void for_each_thread(const LaunchContext* launch, WarpContext* warp, std::uint64_t block, F&& f) {
  warp->block->block_id[0] = static_cast<std::uint32_t>(block % launch->grid[0]);
  warp->block->block_id[1] = static_cast<std::uint32_t>(block / launch->grid[0] % launch->grid[1]);
  warp->block->block_id[2] = static_cast<std::uint32_t>(block / launch->grid[0] / launch->grid[1]);
  const std::uint32_t threads = block_threads(launch);
  for (std::uint32_t first = 0; first < threads; first += 32) {
    warp->first_thread = first;
    warp->lanes = threads - first < 32 ? threads - first : 32;
    for (std::uint32_t lane = 0; lane < warp->lanes; ++lane) f(first + lane);
  }
}
inline void sync(WarpContext* warp, std::uint32_t id = 0, std::uint32_t threads = 0) {
  warp->block->launch->runtime->barrier(warp, id, threads, warp->lanes, BarrierKind::sync, 0);
}
inline void spin(WarpContext* warp) { warp->block->launch->runtime->spin(warp, 0); }

// The message of the Error that f throws; fails the test when it throws none of that code.
template <class F>
std::string error_of(ErrorCode code, F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.code() == code ? error.what() : "wrong code: " + std::string(error.what());
  }
  return "no error";
}

}  // namespace heddle::device::cpu::test
