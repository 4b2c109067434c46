// A device runs block ranges of kernels on queues, copies bytes, and records and waits for events. It decides nothing.
// Every device implements exactly these interfaces; tests/conformance/ is their contract in executable form.
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
#include "ptx/ir.hpp"

namespace heddle::device {

class Device : public QueueSource {
 public:
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
