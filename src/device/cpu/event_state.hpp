// The state of an event: which of its records have been reached.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>

#include "device/cpu/adaptive_lock.hpp"
#include "device/cpu/job.hpp"

namespace heddle::device::cpu {

// The queue of a record, for threads that wait for it.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual std::uint64_t id() const = 0;
  // The workers that run the queue's commands.
  virtual WorkerSet workers() const = 0;
  // The command at the head waits for an event, so the event may depend on work of any queue.
  virtual bool waits_for_event() const = 0;
};

// Outlives the event while queues refer to it. Every record has a number. Any thread.
class EventState {
 public:
  // Begins a record in a queue and gives its number.
  std::uint64_t begin_record(const std::shared_ptr<Recorder>& queue);
  // The record has been reached; `error` is the failure of the queue at that point.
  void complete(std::uint64_t number, const std::exception_ptr& error, std::uint64_t now_ns) noexcept;
  std::uint64_t recorded() const { return recorded_.load(std::memory_order_acquire); }
  bool reached(std::uint64_t number) const { return completed_.load(std::memory_order_acquire) >= number; }
  // Calls `callback` when the number is reached, on the thread that reaches it. False: it is reached already.
  bool subscribe(std::uint64_t number, std::function<void()> callback);
  // The thread sleeps until the number is reached.
  void sleep_until(std::uint64_t number);
  std::exception_ptr error() const;
  std::uint64_t completed_ns() const { return completed_ns_.load(std::memory_order_acquire); }
  // The queue of the last record, or null.
  std::shared_ptr<Recorder> queue() const;

 private:
  struct Subscriber {
    std::uint64_t number;
    std::function<void()> callback;
  };
  std::atomic<std::uint64_t> recorded_{0}, completed_{0}, completed_ns_{0};
  std::atomic<std::uint32_t> signal_{0}, sleepers_{0};
  mutable AdaptiveLock lock_;
  std::exception_ptr error_;
  std::list<Subscriber> subscribers_;
  std::weak_ptr<Recorder> queue_;
};

}  // namespace heddle::device::cpu
