// A device runs block ranges of kernels on queues, copies bytes, and records and waits for events. It decides nothing.
// Every device implements exactly these interfaces; tests/conformance/ is their contract in executable form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/clock.hpp"
#include "device/event.hpp"
#include "device/launch_graph.hpp"
#include "device/memory.hpp"
#include "device/module.hpp"
#include "device/partition.hpp"
#include "device/progress_flag.hpp"
#include "device/queue.hpp"
#include "heddle/address_mapping.hpp"
#include "heddle/placed_variables.hpp"
#include "ptx/ir.hpp"

namespace heddle::device {

struct DeviceInfo {
  std::string id;                // "cpu", "interp", "cuda:0"
  std::string name;              // "AMD EPYC ..., 2 cores, AVX-512"
  unsigned processors = 1;       // SMs, or CPU workers
  unsigned partition_grain = 1;  // partitions consist of whole groups of so many processors: [0, grain), ...
  unsigned warp_size = 32;
  unsigned vector_bits = 0;  // of the host's vectors (CPU); 0 elsewhere
  std::uint64_t memory_bytes = 0;
  bool host_memory = false;  // its addresses are host addresses: the host and other devices may use them as they are
  // The host, too, may use its memory at the same addresses, while kernels run; variables of modules may lie in the
  // host's (LoadOptions::placed).
  bool managed_memory = false;
  bool has_streams = false;  // Queue::call_with_stream calls its function at once, with a native stream
  unsigned capability = 0;   // of a GPU: 90 for compute capability 9.0
  bool verifies = false;    // every access of a kernel, whether or not that was asked for (LoadOptions::check)
  // A kernel that faults fails its queue and leaves the device usable; else the device is lost with all that it held.
  bool survives_faults = true;
  // Limits of a launch.
  unsigned max_threads_per_block = 1024;
  std::uint32_t max_block[3] = {1024, 1024, 64};
  std::uint64_t max_grid[3] = {0x7fffffff, 65535, 65535};
  std::uint64_t max_shared_per_block = 227 * 1024;
};

struct LoadOptions {
  bool check = false;      // verify every access (devices that can; others refuse)
  bool stoppable = false;  // for Queue::launch_stoppable; on GPUs compiling takes up to twice as long
  // For launches of a part of a grid; without, GPUs refuse those. They compile what such launches need of a kernel when
  // the first is made, or with the module where it must be part of it (ptx/rewrite/single_kernel.hpp says when).
  bool ranges = true;
  // The same kernels as the driver takes them, a cubin or a fat binary; empty: none. GPUs run it in place of compiling
  // the PTX, unless more must be in the module. It is not kept.
  std::span<const std::byte> machine_code = {};
  // Variables of the module that lie where the host has them, on devices with managed_memory; others refuse. What is
  // there stays, but for address_of_device where an initial value is an address. Names that the module does not have
  // are passed over. The checker knows the memory when it is registered (register_host). It is not kept.
  std::span<const PlacedVariable> placed = {};
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  // The clock of its events' times: the machine's, or a virtual one where the device is simulated.
  virtual const base::Clock& clock() const = 0;

  // Device memory of `bytes` bytes, aligned to 256. Throws out_of_memory. Any thread.
  virtual std::unique_ptr<Memory> allocate(std::size_t bytes) = 0;

  // The same, which no pool keeps when it is given back: on GPUs the first comes sooner, its end waits for all that the
  // GPU does, and kernels of other GPUs do not reach it. Throws as allocate() does. Any thread.
  virtual std::unique_ptr<Memory> allocate_unpooled(std::size_t bytes) { return allocate(bytes); }

  // Host memory of `bytes` bytes, aligned to 64, that queues of this device copy from and to at their full rate and
  // without holding up the host (on GPUs: pinned), and that its kernels may use at the same addresses. Its span's
  // device is null. Throws out_of_memory. Any thread.
  virtual std::unique_ptr<Memory> allocate_host(std::size_t bytes) = 0;

  // Makes memory that the host has already as good as that of allocate_host, until the result ends; its span and host()
  // are that memory. Throws out_of_memory; invalid_argument when part of it is registered already. Any thread.
  virtual std::unique_ptr<Memory> register_host(void* data, std::size_t bytes) = 0;

  // Memory that is put at addresses by hand; null where there is none. It lives as long as the device. Any thread.
  virtual AddressMapping* address_mapping() { return nullptr; }

  // How much memory can still be allocated, roughly: others take from it too. Any thread.
  virtual std::uint64_t free_memory() = 0;

  // Prepares a module for this device. Code generation may be put off until a function is launched. Throws unsupported
  // with instruction and line for what the device cannot run. Any thread.
  virtual std::shared_ptr<Module> load(std::shared_ptr<const ptx::Module> module, const LoadOptions& options) = 0;

  virtual std::unique_ptr<Queue> queue(const QueueOptions& options) = 0;
  virtual std::unique_ptr<Event> event() = 0;
  // One whose completed_ns() nobody asks (it may be 0): for order only, which is cheaper on GPUs.
  virtual std::unique_ptr<Event> untimed_event() { return event(); }
  // Launches to be put into this device's queues all at once. Throws unsupported where some of them cannot be in one.
  virtual std::unique_ptr<LaunchGraph> launch_graph(std::span<const GraphLaunch> launches);
  // A subset of the processors on which a queue may run. Throws unsupported or invalid_argument.
  virtual std::unique_ptr<Partition> partition(const ProcessorSet& processors) = 0;

  // A flag for copies to the device that report their progress; it says that all bytes have arrived until a copy begins
  // to report. Null where copies cannot report. It must outlive the copies. Any thread.
  virtual std::unique_ptr<ProgressFlag> progress_flag() { return nullptr; }

  // Runs `give`, in which the calling thread gives several commands to this device's queues: together they take less.
  // Code of the program's own has no place in it but through Queue::call and call_with_stream. Throws what `give` does.
  template <class Give>
  void commands(Give&& give) {
    run_commands([](void* data) { (*static_cast<std::remove_reference_t<Give>*>(data))(); },
                 const_cast<void*>(static_cast<const void*>(&give)));
  }

  // The calling thread will go on using this device, and no other of its kind: what commands need of a thread stays set
  // up between them. Any thread.
  virtual void enter() {}

  // What NVIDIA's driver says of an attribute, by its number in CUDA; nothing on other devices and for numbers that it
  // does not know. Any thread.
  virtual std::optional<int> cuda_attribute(int number) const {
    static_cast<void>(number);
    return std::nullopt;
  }

  // Sustained bandwidth of a large copy within the device, bytes read plus bytes written per second; measured on first
  // call (up to 200 ms), then remembered.
  virtual double measured_bandwidth() = 0;

 private:
  virtual void run_commands(void (*run)(void* data), void* data) { run(data); }
};

}  // namespace heddle::device
