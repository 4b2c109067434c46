// Queues and events: the explicit level of Heddle. It is for programs and front ends that track themselves where data
// is and which command waits for which, as a CUDA program does. heddle/device.hpp makes them. Heddle does not order
// these commands with arrays and launches of heddle::Runtime: use one level or the other for the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "heddle/dim3.hpp"

namespace heddle {

namespace queues {
class EventState;
class QueueState;
}  // namespace queues

class LoadedKernel;

// `size` bytes at `address` of a device's memory, or of the host's. Owns nothing.
struct MemorySpan {
  static constexpr int host = -1;
  int device = host;  // its number: the place in Runtime::devices()
  std::uint64_t address = 0;
  std::size_t size = 0;

  static MemorySpan of_host(const void* data, std::size_t bytes) {
    return {host, reinterpret_cast<std::uint64_t>(data), bytes};
  }
};

// Where a box of bytes begins, and the distance in bytes from one row to the next and from one plane to the next.
struct MemoryBox {
  int device = MemorySpan::host;
  std::uint64_t address = 0;
  std::size_t row = 0, plane = 0;
};
struct BoxSize {
  std::size_t width = 0;              // bytes of a row
  std::size_t height = 1, depth = 1;  // rows of a plane, planes
};

struct QueueOptions {
  int priority = 0;  // higher runs first; a hint
  // SMs of a GPU, or workers of the CPU device, that launches run on, ascending; empty: all.
  std::vector<unsigned> processors = {};
  // Whether calls that put in a command wait while some 16,000 of the queue are pending, so that a program that never
  // waits takes bounded memory. False: for callers that hold locks, which call Queue::wait_for_room() without them.
  bool bounded = true;
  // Whether a failure stays, as CUDA's do: each synchronize() throws it, and later commands are skipped until
  // Queue::clear_failure(). False: the first synchronize() clears it.
  bool keeps_failure = false;
};

struct LaunchShape {
  Dim3 grid = {}, block = {};
  std::uint32_t shared = 0;  // bytes of dynamic shared memory
  bool cooperative = false;  // blocks may synchronise with each other across the grid
};

// A point in a queue's order. Before it is recorded, it counts as done. One thread at a time records; any thread may
// query and wait. An event that was moved from throws invalid_argument.
class Event {
 public:
  explicit Event(std::shared_ptr<queues::EventState> state) : state_(std::move(state)) {}
  // Whether everything before the last record has finished or failed.
  bool done() const;
  // Blocks until then. Throws the Error of the first command before it that failed.
  void wait() const;
  // Nanoseconds at which the device reached it, on the host's steady clock; valid when done.
  std::uint64_t completed_ns() const;
  const std::shared_ptr<queues::EventState>& state() const { return state_; }

 private:
  std::shared_ptr<queues::EventState> state_;
};

// In-order; queues of one device run at the same time. Only synchronize() waits here, and a thread that is thousands of
// commands ahead (QueueOptions::bounded). After a command that fails, later commands are skipped, and events recorded
// later carry the Error, until synchronize() has thrown it (but see QueueOptions::keeps_failure). Then the queue is
// usable again. Any thread: commands of several threads enter in some order. Copies refer to the same queue. When the
// last copy is destroyed, it waits for the commands in the queue. A queue that was moved from throws invalid_argument.
class Queue {
 public:
  explicit Queue(std::shared_ptr<queues::QueueState> state) : state_(std::move(state)) {}

  // `arguments` are packed as LoadedKernel::parameters() describes, and are copied. Throws invalid_argument at once
  // when the shape exceeds the device's or the kernel's limits.
  void launch(const LoadedKernel& kernel, const LaunchShape& shape, std::span<const std::byte> arguments) const;
  // Only the blocks of `range`; each sees the indices of the whole grid. Throws unsupported where the device cannot.
  void launch(const LoadedKernel& kernel, const LaunchShape& shape, std::span<const std::byte> arguments,
              const BlockRange& range) const;
  // Copies from.size bytes; both must stay valid until the copy has run.
  void copy(const MemorySpan& to, const MemorySpan& from) const;
  void copy(const MemoryBox& to, const MemoryBox& from, const BoxSize& size) const;
  // Fills with a repeated value of 1, 2 or 4 bytes.
  void fill(const MemorySpan& to, std::uint32_t value, unsigned value_bytes) const;
  void fill(const MemoryBox& to, const BoxSize& size, std::uint32_t value, unsigned value_bytes) const;
  void record(const Event& event) const;
  // Commands after this run when the event's last record so far is reached. The event may be of another device, and may
  // be recorded again or destroyed before that.
  void wait(const Event& event) const;
  // Commands after this run when `ready` has returned true once. A thread of Heddle's calls it repeatedly until then,
  // so it must be quick, must not throw and must not use the queue.
  void wait_until(std::function<bool()> ready) const;
  // Runs a function of the host in the queue's order. It must not use the queue. An Error that it throws is an Error of
  // the queue, like that of a command.
  void call(std::function<void()> function) const;
  // Blocks until all commands have run; throws the first failure and clears it, unless the queue keeps failures.
  void synchronize() const;
  // The queue is usable again after a failure.
  void clear_failure() const;
  // Whether so many commands are pending that the thread which makes them should wait for room.
  bool full() const;
  // Waits until some of the pending commands have run, if the queue is full.
  void wait_for_room() const;
  int device() const;

 private:
  std::shared_ptr<queues::QueueState> state_;
};

}  // namespace heddle
