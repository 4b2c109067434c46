// A device runs block ranges of kernels on queues, copies bytes, and records and waits for events. It makes no
// scheduling decisions. Every device implements exactly these interfaces; tests/conformance/ is their contract in
// executable form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "base/clock.hpp"
#include "device/device_info.hpp"
#include "device/event.hpp"
#include "device/launch_graph.hpp"
#include "device/load_options.hpp"
#include "device/memory.hpp"
#include "device/module.hpp"
#include "device/partition.hpp"
#include "device/progress_flag.hpp"
#include "device/queue.hpp"
#include "device/queue_source.hpp"
#include "heddle/address_mapping.hpp"
#include "heddle/texture.hpp"
#include "ptx/ir.hpp"

namespace heddle::device {

class Device : public QueueSource {
 public:
  virtual const DeviceInfo& info() const = 0;
  // Whether a fault has lost it to this process: nothing will run there any more. Any thread.
  virtual bool lost() const { return false; }
  // The clock of its events' times: the machine's, or a virtual one where the device is simulated.
  virtual const base::Clock& clock() const = 0;

  // Device memory of `bytes` bytes, aligned to 256. Throws out_of_memory. Any thread.
  virtual std::unique_ptr<Memory> allocate(std::size_t bytes) = 0;

  // The same, but no pool keeps the memory when it is freed. On GPUs the first allocation is faster, freeing waits for
  // all work of the GPU, and kernels of other GPUs cannot access the memory. Throws as allocate() does. Any thread.
  virtual std::unique_ptr<Memory> allocate_unpooled(std::size_t bytes) { return allocate(bytes); }

  // Host memory of `bytes` bytes, aligned to 64. Queues of this device copy from and to it at their full rate and
  // without blocking the host (on GPUs: pinned memory), and kernels may use it at the same addresses. Its span's device
  // is null. Throws out_of_memory. Any thread.
  virtual std::unique_ptr<Memory> allocate_host(std::size_t bytes) = 0;

  // Gives existing host memory the properties of allocate_host() until the result is destroyed. The result's span and
  // host() are that memory. Throws out_of_memory; invalid_argument if part of it is registered already. Any thread.
  virtual std::unique_ptr<Memory> register_host(void* data, std::size_t bytes) = 0;

  // Memory that the caller maps at addresses itself; null if the device does not support it. It lives as long as the
  // device. Any thread.
  virtual AddressMapping* address_mapping() { return nullptr; }

  // How many bytes of memory can still be allocated, roughly: other processes allocate too. Any thread.
  virtual std::uint64_t free_memory() = 0;

  // Prepares a module for this device. Code may be generated only when a function is launched. Throws unsupported with
  // instruction and line for what the device cannot run. Any thread.
  virtual std::shared_ptr<Module> load(std::shared_ptr<const ptx::Module> module, const LoadOptions& options) = 0;

  // A graph of launches, which are put into a queue of this device all at once. Throws unsupported if some of them
  // cannot be in a graph.
  virtual std::unique_ptr<LaunchGraph> launch_graph(std::span<const GraphLaunch> launches);
  // A subset of the processors on which a queue may run. Throws unsupported or invalid_argument.
  virtual std::unique_ptr<Partition> partition(const ProcessorSet& processors) = 0;

  // A flag for copies to the device that report their progress. Until a copy begins to report, its state is that all
  // bytes have arrived. Null if copies cannot report. It must outlive the copies. Any thread.
  virtual std::unique_ptr<ProgressFlag> progress_flag() { return nullptr; }

  // Runs `give`, in which the calling thread puts several commands into this device's queues. That costs less than
  // single commands. `give` must not run code of the program, except by Queue::call and call_with_stream. Throws what
  // `give` throws.
  template <class Give>
  void commands(Give&& give) {
    run_commands([](void* data) { (*static_cast<std::remove_reference_t<Give>*>(data))(); },
                 const_cast<void*>(static_cast<const void*>(&give)));
  }

  // States that the calling thread will continue to use this device, and no other of its kind. The device then keeps
  // the thread set up for commands. Any thread.
  virtual void enter() {}

  // The value of an attribute of a GPU, by its number in CUDA: NVIDIA's driver's, or what a simulated machine states.
  // Nothing on other devices, and for numbers that are not known there. Any thread.
  virtual std::optional<int> cuda_attribute(int number) const {
    static_cast<void>(number);
    return std::nullopt;
  }

  // What kernels have allocated with malloc() and not freed: a sentence for each block, with the place where
  // Checks::leak was asked for. Empty on devices that do not know it. Any thread.
  virtual std::vector<std::string> heap_blocks() const { return {}; }

  // Sustained bandwidth of a large copy within the device, bytes read plus bytes written per second; measured on first
  // call (up to 200 ms), then remembered.
  virtual double measured_bandwidth() = 0;

 private:
  virtual void run_commands(void (*run)(void* data), void* data) { run(data); }

 public:
  // The textures and surfaces that kernels of this device may use; null if it has none. It lives as long as the device.
  // Any thread.
  virtual TextureTable* textures() { return nullptr; }
};

}  // namespace heddle::device
