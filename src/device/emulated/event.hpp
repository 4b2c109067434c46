// Events: each record has a state of its own, which the queue's worker sets. So recording again does not affect threads
// that wait for an earlier record.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include "base/thread_safety.hpp"
#include "base/watcher.hpp"
#include "device/event.hpp"

namespace heddle::device::emulated {

class EventState final : public EventPoint {
 public:
  explicit EventState(std::shared_ptr<base::Watcher> watcher) : watcher_(std::move(watcher)) {}
  bool done() const override;
  bool on_done(std::function<void()> callback) const override;
  // `time_ns`: of completion, on the device's clock.
  void complete(std::exception_ptr failure, std::uint64_t time_ns) noexcept;
  // Blocks until done; throws nothing.
  void wait_done() const;
  // Valid when done.
  std::exception_ptr error() const;
  std::uint64_t completed_ns() const;

 private:
  const std::shared_ptr<base::Watcher> watcher_;
  mutable base::Mutex mutex_;
  mutable std::condition_variable changed_;
  mutable base::Watcher::Prepared callbacks_ HEDDLE_GUARDED_BY(mutex_);
  bool reached_ HEDDLE_GUARDED_BY(mutex_) = false;
  std::exception_ptr error_ HEDDLE_GUARDED_BY(mutex_);
  std::uint64_t completed_ns_ HEDDLE_GUARDED_BY(mutex_) = 0;
};

class QueueEvent final : public Event {
 public:
  explicit QueueEvent(std::shared_ptr<base::Watcher> watcher) : watcher_(std::move(watcher)) {}
  bool done() const override;
  void wait() override;
  unsigned long long completed_ns() const override;
  std::shared_ptr<const EventPoint> point() const override { return current(); }

  // Makes the state of a new record. done() and wait() use it from now on.
  std::shared_ptr<EventState> renew();
  std::shared_ptr<EventState> current() const;

 private:
  const std::shared_ptr<base::Watcher> watcher_;
  mutable base::Mutex mutex_;
  std::shared_ptr<EventState> state_ HEDDLE_GUARDED_BY(mutex_);  // null: never recorded
};

}  // namespace heddle::device::emulated
