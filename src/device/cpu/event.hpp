// Points in the order of queues.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "device/cpu/spin_lock.hpp"
#include "device/cpu/worker.hpp"
#include "device/event.hpp"

namespace heddle::device::cpu {

class Pool;
class QueueCore;

// What an event is about; outlives the event while queues refer to it. Every record has a number, and the state tells
// how far the numbers have been reached.
class EventState {
 public:
  // Begins a record in a queue and gives its number.
  std::uint64_t begin_record(const std::shared_ptr<QueueCore>& queue);
  // The record has been reached; `error` is the failure of the queue at that point.
  void complete(std::uint64_t number, const std::exception_ptr& error, std::uint64_t now_ns) noexcept;
  std::uint64_t recorded() const { return recorded_.load(std::memory_order_acquire); }
  bool reached(std::uint64_t number) const { return completed_.load(std::memory_order_acquire) >= number; }
  // Resumes the queue when the number is reached. False: it is already.
  bool subscribe(std::uint64_t number, std::shared_ptr<QueueCore> queue);
  // The thread sleeps until the number is reached.
  void sleep_until(std::uint64_t number);
  std::exception_ptr error() const;
  std::uint64_t completed_ns() const { return completed_ns_.load(std::memory_order_acquire); }
  // The queue of the last record, or null.
  std::shared_ptr<QueueCore> queue() const;

 private:
  struct Subscriber {
    std::uint64_t number;
    std::shared_ptr<QueueCore> queue;
  };
  std::atomic<std::uint64_t> recorded_{0}, completed_{0}, completed_ns_{0};
  std::atomic<std::uint32_t> signal_{0}, sleepers_{0};
  mutable SpinLock lock_;
  std::exception_ptr error_;
  std::vector<Subscriber> subscribers_;
  std::weak_ptr<QueueCore> queue_;
};

// A host thread that waits for a record.
class EventTarget final : public WaitTarget {
 public:
  explicit EventTarget(EventState& state);
  bool done() const override { return state_.reached(number_); }
  std::uint64_t owner_id() const override;
  const WorkerSet& workers() const override { return workers_; }
  void block() override { state_.sleep_until(number_); }

 private:
  EventState& state_;
  const std::uint64_t number_;
  const std::shared_ptr<QueueCore> queue_;
  WorkerSet workers_;  // of the queue when the wait began
};

class CpuEvent final : public Event {
 public:
  explicit CpuEvent(Pool& pool) : pool_(pool), state_(std::make_shared<EventState>()) {}
  bool done() const override;
  void wait() override;
  unsigned long long completed_ns() const override { return state()->completed_ns(); }
  std::shared_ptr<const EventPoint> point() const override;
  std::shared_ptr<EventState> state() const;
  // For a record in this queue. Numbers are reached in order within a queue only: when an earlier record in another
  // queue is still to be reached, who waits for that keeps the old state, and the event goes on with a new one.
  std::shared_ptr<EventState> state_for(const QueueCore& queue);

 private:
  Pool& pool_;
  mutable SpinLock lock_;
  std::shared_ptr<EventState> state_;
};

}  // namespace heddle::device::cpu
