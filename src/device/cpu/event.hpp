// Events of the CPU device, and threads that wait for one.
#pragma once

#include <memory>

#include "base/watcher.hpp"
#include "device/cpu/adaptive_lock.hpp"
#include "device/cpu/event_state.hpp"
#include "device/cpu/pool.hpp"
#include "device/event.hpp"

namespace heddle::device::cpu {

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
  const std::shared_ptr<Recorder> queue_;
  WorkerSet workers_;  // of the queue when the wait began
};

class CpuEvent final : public Event {
 public:
  CpuEvent(Pool& pool, std::shared_ptr<base::Watcher> watcher)
      : pool_(pool), watcher_(std::move(watcher)), state_(std::make_shared<EventState>()) {}
  bool done() const override;
  void wait() override;
  unsigned long long completed_ns() const override { return state()->completed_ns(); }
  std::shared_ptr<const EventPoint> point() const override;
  std::shared_ptr<EventState> state() const;
  // For a record in this queue. Numbers are reached in order within a queue only: while an earlier record in another
  // queue is pending, its waiters keep the old state, and the event gets a new one.
  std::shared_ptr<EventState> state_for(const Recorder& queue);

 private:
  Pool& pool_;
  const std::shared_ptr<base::Watcher> watcher_;
  mutable AdaptiveLock lock_;
  std::shared_ptr<EventState> state_;
};

}  // namespace heddle::device::cpu
