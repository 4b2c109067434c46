// Implements heddle::Event, and events that are reached when a function of the host returns true.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/fail.hpp"
#include "base/thread_safety.hpp"
#include "core/core.hpp"
#include "queues/shared_queue.hpp"
#include "sched/held_task.hpp"

namespace heddle::queues {

class EventState {
 public:
  EventState(std::shared_ptr<core::Core> core, std::size_t place, bool timed);
  EventState(const EventState&) = delete;
  EventState& operator=(const EventState&) = delete;

  // The last record. In managed mode each record has its own device event, so that a held wait waits for the record
  // that it was made for.
  std::shared_ptr<EventRecord> record() const {
    const base::Lock lock(mutex_);
    return record_;
  }
  // The record in direct mode, where an event has only one.
  EventRecord& only_record() const HEDDLE_NO_THREAD_SAFETY_ANALYSIS { return *record_; }
  // Returns the record that is about to be made. Needs the core's lock.
  std::shared_ptr<EventRecord> renew();
  // The held task that makes the last record; null: the record is made.
  void set_task(std::shared_ptr<sched::HeldTask> task) {
    const base::Lock lock(mutex_);
    task_ = std::move(task);
  }
  std::shared_ptr<sched::HeldTask> task() const {
    const base::Lock lock(mutex_);
    return task_;
  }

  bool done() const;
  void wait();
  std::uint64_t completed_ns() const { return record()->event->completed_ns(); }

 private:
  const std::shared_ptr<core::Core> core_;
  const std::size_t place_;
  const bool timed_;
  mutable base::Mutex mutex_;
  std::shared_ptr<EventRecord> record_ HEDDLE_GUARDED_BY(mutex_);
  std::shared_ptr<sched::HeldTask> task_ HEDDLE_GUARDED_BY(mutex_);
};

// An event that is reached when a function of the host returns true. Queues treat it as an event of another device.
class ConditionEvent final : public device::Event {
 public:
  ConditionEvent(std::shared_ptr<base::Watcher> watcher, std::function<bool()> ready)
      : point_(std::make_shared<Point>(std::move(watcher), std::move(ready))) {}
  bool done() const override { return point_->done(); }
  void wait() override { base::fail(ErrorCode::internal, "what is asked for is waited for by queues only"); }
  unsigned long long completed_ns() const override { return 0; }
  std::shared_ptr<const device::EventPoint> point() const override { return point_; }

 private:
  // Only the watcher calls the function: others ask with locks that the function may need.
  class Point final : public device::EventPoint, public std::enable_shared_from_this<Point> {
   public:
    Point(std::shared_ptr<base::Watcher> watcher, std::function<bool()> ready)
        : watcher_(std::move(watcher)), ready_(std::move(ready)) {}
    bool done() const override { return reached_.load(std::memory_order_acquire); }
    bool on_done(std::function<void()> callback) const override {
      if (done()) return false;
      watcher_->poll(nullptr, 0, [self = shared_from_this()] { return self->ask(); }, std::move(callback));
      return true;
    }

   private:
    // Once reached, it stays reached, whatever the function returns later.
    bool ask() const {
      if (!done() && ready_()) reached_.store(true, std::memory_order_release);
      return done();
    }

    const std::shared_ptr<base::Watcher> watcher_;
    const std::function<bool()> ready_;
    mutable std::atomic<bool> reached_{false};
  };
  std::shared_ptr<const Point> point_;
};

// Whether the policy holds the task.
inline bool is_held(const std::shared_ptr<sched::HeldTask>& task) {
  return task != nullptr && task->state < sched::TaskState::submitted;
}

}  // namespace heddle::queues
