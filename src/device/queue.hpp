// In-order queues; queues of one device run concurrently.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "device/box.hpp"
#include "device/event.hpp"
#include "device/launch_config.hpp"
#include "device/memory.hpp"
#include "device/module.hpp"
#include "device/progress_flag.hpp"
#include "device/stoppable_launch.hpp"

namespace heddle::device {

class Footprint;
class Partition;

struct QueueOptions {
  int priority = 0;                      // higher runs first; a hint
  const Partition* partition = nullptr;  // null: the whole device
};

// Failures: after a command that fails, later commands of the queue are skipped, and events recorded later carry the
// Error, until synchronize() has thrown it. Then the queue is usable again. One thread at a time uses a queue.
class Queue {
 public:
  virtual ~Queue() = default;
  // Runs blocks [range) of the launch; each block sees the indices of the whole grid. If the previous command is a
  // launch with the same function, shape and arguments whose range ends where this one begins, both count as one
  // launch: their blocks may run at the same time. `arguments` is the packed parameter buffer (Function::parameters)
  // and is copied. Throws invalid_argument at once if the shape exceeds the device's or the kernel's limits.
  virtual void launch(Function& function, const LaunchConfig& config, BlockRange range,
                      std::span<const std::byte> arguments) = 0;
  // The same for a range in successive parts of `part` blocks, of which the last may be smaller. It is equivalent to a
  // call of launch() for each part, at less cost to the host. If one part cannot be launched, none is. Throws
  // invalid_argument for parts of no blocks; unsupported for cooperative launches, and if the device cannot run parts
  // of the kernel's grid.
  virtual void launch_parts(Function& function, const LaunchConfig& config, BlockRange range, std::uint64_t part,
                            std::span<const std::byte> arguments);
  // The same as launch(), but the launch can be stopped between its blocks. The result may be destroyed at any time.
  // `residents`: on GPUs, how many blocks run at a time; 0: as many as fit. Throws unsupported with the reason for
  // kernels that cannot be stopped on the device, and for cooperative launches; invalid_argument if the device needs
  // LoadOptions::stoppable and the module was loaded without it.
  virtual std::shared_ptr<StoppableLaunch> launch_stoppable(Function& function, const LaunchConfig& config,
                                                            BlockRange range, std::span<const std::byte> arguments,
                                                            unsigned residents = 0) = 0;
  // Copies source.size bytes between any spans: of the host, of this device, of other devices. Both must stay valid
  // until the copy has run.
  virtual void copy(Span destination, Span source) = 0;
  // Sets the flag, in queue order, to the state "no byte of the next copy_with_progress() has arrived". `begin`: the
  // address of that copy's destination. Kernels that read the flag must come after this command.
  virtual void begin_progress(ProgressFlag& flag, std::uint64_t begin);
  // Copies from the host to this device, from the first byte to the last, and writes its progress to the flag. If the
  // copy fails or is skipped, the flag still becomes "all bytes have arrived", so that no kernel waits for ever. Throws
  // unsupported on devices without progress_flag().
  virtual void copy_with_progress(Span destination, Span source, ProgressFlag& flag);
  // Fills with a repeated 1-, 2- or 4-byte value.
  virtual void fill(Span destination, std::uint32_t value, unsigned value_bytes) = 0;
  // copy() and fill() for boxes of bytes. Throw invalid_argument if rows or planes of a box overlap.
  virtual void copy_box(const BoxPlace& destination, const BoxPlace& source, const BoxExtent& extent) = 0;
  virtual void fill_box(const BoxPlace& destination, const BoxExtent& extent, std::uint32_t value,
                        unsigned value_bytes) = 0;
  // Launches from now on run on these processors only; null: on the whole device. They still run after earlier commands
  // of the queue. Throws invalid_argument for a partition of another device. The partition must outlive its use.
  virtual void set_partition(const Partition* partition) = 0;
  // Launches from now on may access guarded memory (Memory::guard) only as the footprint permits; null: without
  // restriction. Another access is a fault on devices that verify accesses; other devices do not notice it.
  virtual void set_footprint(std::shared_ptr<const Footprint> /*footprint*/) {}
  virtual void record(Event& event) = 0;
  // The same for an untimed event that most likely nothing asks for. The device may record it when something does,
  // after a few later commands.
  virtual void record_late(Event& event) { record(event); }
  // Commands after this run when the event's last record so far is reached. Never blocks the host. The event may be of
  // any device, and may be recorded again or destroyed before that.
  virtual void wait(const Event& event) = 0;
  // Runs a host function in queue order. It must not use the queue. An Error that it throws fails the queue.
  virtual void call(std::function<void()> function) = 0;
  // Calls a function that puts work into the queue's native stream (CUDA: a CUstream), at once or when earlier commands
  // permit it. If it is called at once, what it throws is thrown. On devices without streams it is a host function that
  // gets null and does the work itself. It must not use the queue.
  virtual void call_with_stream(std::function<void(void* stream)> function) {
    call([function = std::move(function)] { function(nullptr); });
  }
  // Blocks until all commands have run; throws the first failure and clears it.
  virtual void synchronize() = 0;
  // True if the device knows without waiting that all commands have run and none has failed. False: not known; call
  // synchronize().
  virtual bool idle() { return false; }
};

}  // namespace heddle::device
