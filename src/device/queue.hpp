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

// Failure: a command that fails makes the commands after it in the queue be skipped, and the events recorded after it
// carry the Error, until synchronize() has thrown it; then the queue is usable again. One thread uses a queue at a
// time.
class Queue {
 public:
  virtual ~Queue() = default;
  // Runs blocks [range) of the launch; each block sees the indices of the whole grid. A range that begins where the one
  // put in right before it ends, with the same function, shape and arguments, counts as a part of the same launch:
  // their blocks may run at the same time, as those of one launch do. `arguments` is the packed parameter buffer
  // (Function::parameters) and is copied. Throws invalid_argument at once when the shape is against the device's or the
  // kernel's limits.
  virtual void launch(Function& function, const LaunchConfig& config, BlockRange range,
                      std::span<const std::byte> arguments) = 0;
  // The same for a range in parts of `part` blocks, one after the other, of which the last may be smaller: as so many
  // calls of launch(), at less cost to the host. Where one cannot be launched none is. Throws invalid_argument for
  // parts of no blocks, unsupported for cooperative launches and where the device cannot run a part of the kernel's
  // grid.
  virtual void launch_parts(Function& function, const LaunchConfig& config, BlockRange range, std::uint64_t part,
                            std::span<const std::byte> arguments);
  // The same as launch(), but the launch can be stopped between its blocks; the result may be dropped at any time.
  // `residents`: on GPUs, how many blocks run at a time; 0: as many as fit. Throws unsupported, with the reason, for
  // kernels that cannot be stopped there and cooperative launches; invalid_argument if the device needs
  // LoadOptions::stoppable and the module was loaded without.
  virtual std::shared_ptr<StoppableLaunch> launch_stoppable(Function& function, const LaunchConfig& config,
                                                            BlockRange range, std::span<const std::byte> arguments,
                                                            unsigned residents = 0) = 0;
  // Copies source.size bytes; host, device and peer spans alike. Both must stay valid until the copy has run.
  virtual void copy(Span destination, Span source) = 0;
  // Sets the flag, in queue order, to say that nothing of what the next copy_with_progress() copies has arrived: its
  // destination begins at this address. A kernel that looks at the flag must come after this.
  virtual void begin_progress(ProgressFlag& flag, std::uint64_t begin);
  // Copies from the host to this device, from the first byte to the last, and writes how far it has come. If it fails
  // or is skipped, the flag says all the same that everything has arrived, so that no kernel waits for ever. Throws
  // unsupported on devices that have no progress_flag().
  virtual void copy_with_progress(Span destination, Span source, ProgressFlag& flag);
  // Fills with a repeated 1-, 2- or 4-byte value.
  virtual void fill(Span destination, std::uint32_t value, unsigned value_bytes) = 0;
  // The same for boxes of bytes: rows and planes. Throws invalid_argument when rows or planes of a box overlap.
  virtual void copy_box(const BoxPlace& destination, const BoxPlace& source, const BoxExtent& extent) = 0;
  virtual void fill_box(const BoxPlace& destination, const BoxExtent& extent, std::uint32_t value,
                        unsigned value_bytes) = 0;
  // Launches from here on run on these processors only, null: on the whole device; in queue order behind what came
  // before. Throws invalid_argument for a partition of another device. The partition must outlive its use.
  virtual void set_partition(const Partition* partition) = 0;
  // Launches from here on touch guarded memory (Memory::guard) only as this allows, null: as they like; an access that
  // it does not allow is a fault where accesses are verified, and goes unnoticed elsewhere.
  virtual void set_footprint(std::shared_ptr<const Footprint> /*footprint*/) {}
  virtual void record(Event& event) = 0;
  // Commands after this run when the event's last record so far is reached; never blocks the host. The event, of
  // whatever device, may be recorded again or end before that.
  virtual void wait(const Event& event) = 0;
  // Runs a host function in queue order. It must not use the queue. An Error that it throws fails the queue.
  virtual void call(std::function<void()> function) = 0;
  // Calls a function that puts work into the queue's native stream (CUDA: a CUstream), at once or when it is the
  // stream's turn; what it throws at once is thrown on. Where there are no streams it is a host function, given null,
  // and is itself the work. It must not use the queue.
  virtual void call_with_stream(std::function<void(void* stream)> function) {
    call([function = std::move(function)] { function(nullptr); });
  }
  // Blocks until all commands have run; throws the first failure and clears it.
  virtual void synchronize() = 0;
  // True where the device can tell at once that all commands have run and none has failed; false: ask synchronize().
  virtual bool idle() { return false; }
};

}  // namespace heddle::device
