// A device at the explicit level: memory at addresses, kernels loaded for it, queues and events (heddle/queue.hpp).
//
//   heddle::Device device = runtime.device("cpu");
//   heddle::Memory x = device.allocate(1 << 20);
//   heddle::Queue queue = device.queue();
//   heddle::LoadedKernel kernel = device.load(module.kernel("scale"));
//   queue.launch(kernel, {.grid = {1024}, .block = {256}}, packed_arguments);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "heddle/address_mapping.hpp"
#include "heddle/devices.hpp"
#include "heddle/kernel.hpp"
#include "heddle/module.hpp"
#include "heddle/placed_variables.hpp"
#include "heddle/queue.hpp"
#include "heddle/texture.hpp"

namespace heddle {

namespace core {
class Core;
}
namespace queues {
class LoadedKernelState;
class MemoryState;
}  // namespace queues

// Owns memory, which is freed when the last copy is destroyed. That does not wait: keep it as long as a command uses
// the memory. Any thread.
class Memory {
 public:
  Memory() = default;  // no memory
  explicit Memory(std::shared_ptr<queues::MemoryState> state) : state_(std::move(state)) {}
  explicit operator bool() const { return state_ != nullptr; }
  MemorySpan span() const;
  std::uint64_t address() const { return span().address; }
  // The host's pointer to it; null if the host cannot access it.
  void* host() const;

 private:
  std::shared_ptr<queues::MemoryState> state_;
};

// Bytes in the packed buffer of arguments.
struct ParameterPlace {
  std::uint32_t offset = 0, size = 0;
};

// A kernel that is loaded on one device. Light; copies refer to the same kernel. Any thread.
class LoadedKernel {
 public:
  explicit LoadedKernel(std::shared_ptr<queues::LoadedKernelState> state) : state_(std::move(state)) {}
  const Kernel& kernel() const;
  const std::vector<ParameterPlace>& parameters() const;
  std::uint32_t parameter_bytes() const;
  std::uint64_t shared_bytes() const;  // static
  // Generates code for blocks of this shape; otherwise the first launch does it. Throws unsupported or compile_error.
  void prepare(const Dim3& block) const;
  // As Runtime::occupancy.
  std::vector<Occupancy> occupancy(const Dim3& block, std::uint32_t shared = 0) const;
  // The entry of occupancy() for launches of the whole grid, without generating code for parts; nothing on devices
  // without SMs.
  std::optional<Occupancy> whole_occupancy(const Dim3& block, std::uint32_t shared = 0) const;
  const std::shared_ptr<queues::LoadedKernelState>& state() const { return state_; }

 private:
  std::shared_ptr<queues::LoadedKernelState> state_;
};

// Light; copies refer to the same device, which they keep alive. Any thread.
class Device {
 public:
  Device(std::shared_ptr<core::Core> core, int number) : core_(std::move(core)), number_(number) {}
  int number() const { return number_; }
  // Whether it is a device of this runtime; for Heddle itself.
  bool is_of(const std::shared_ptr<core::Core>& core) const { return core_ == core; }
  DeviceInfo info() const;
  // How many of its processors the process can count on. Where it is a tenant of the node's daemon, with a quota, these
  // are those of the quota, and change with it; else all.
  unsigned own_processors() const;

  // States that the calling thread will continue to use this device, and no other GPU. Calls then need not set the
  // device up for each command, which takes some 0.3 us on GPUs. Its context stays the thread's current one, also for
  // other code in the process.
  void enter() const;

  // The value of an attribute of a GPU, by its number in CUDA (cudaDeviceAttr): NVIDIA's driver's, or what a simulated
  // machine states; nothing on other devices.
  std::optional<int> cuda_attribute(int number) const;

  // Device memory, aligned to 256 bytes. Throws out_of_memory, with how much each owner holds.
  Memory allocate(std::size_t bytes) const;
  // The same, but no pool keeps the memory when it is freed, as with cudaMalloc. On GPUs the process's first one is
  // ready sooner (7 ms on an H200), freeing waits for all that the GPU does, and kernels of other GPUs cannot access
  // it.
  Memory allocate_unpooled(std::size_t bytes) const;
  // Host memory that copies of this device access at their full rate, and kernels at the same addresses.
  Memory allocate_host(std::size_t bytes) const;
  // Gives memory of the program the same properties until the result is destroyed. Throws invalid_argument if part of
  // it is registered already, or no memory that can be read.
  Memory register_host(void* data, std::size_t bytes) const;
  // Memory that the program maps itself; null if the device does not support it. It lives as long as the device.
  AddressMapping* address_mapping() const;
  // The textures and surfaces that kernels of the device may use; null if it has none. It lives as long as the device.
  TextureTable* textures() const;
  // How much memory can still be allocated, roughly: other processes take from it too.
  std::uint64_t free_memory() const;

  Queue queue(const QueueOptions& options = {}) const;
  Event event() const;
  // For order only: its completed_ns() is 0. Cheaper on GPUs.
  Event untimed_event() const;
  LoadedKernel load(const Kernel& kernel) const;
  // Loads the module now; otherwise the first use of a kernel or variable does it. Throws unsupported with instruction
  // and line for what the device cannot run; compile_error.
  // - `machine_code`: the same kernels in the form of NVIDIA's driver, a cubin or a fat binary. A GPU runs it instead
  //   of compiling the PTX, if the driver can use it and the module need not contain code for parts of grids. It is not
  //   kept.
  // - `placed`: variables in memory of the host's own, which keep their values (heddle/placed_variables.hpp). With
  //   --check or RuntimeOptions::check that memory has to be registered. Throws unsupported if the device's memory is
  //   not the host's; invalid_argument for memory that is too small or not aligned, and if the module has been loaded
  //   before.
  void load(const Module& module, std::span<const std::byte> machine_code = {},
            std::span<const PlacedVariable> placed = {}) const;
  // The device's copy of a __device__ or __constant__ variable. Throws not_found.
  MemorySpan variable(const Module& module, std::string_view name) const;

 private:
  std::shared_ptr<core::Core> core_;
  int number_;
};

}  // namespace heddle
