// A point in a queue's order.
#pragma once

#include <functional>
#include <memory>

namespace heddle::device {

// One record of an event. It does not change when the event is recorded again or destroyed.
class EventPoint {
 public:
  virtual ~EventPoint() = default;
  // As Event::done(), for this record. Any thread.
  virtual bool done() const = 0;
  // Registers `callback`, which is called once when the record is done. It is called on the thread of the device's
  // watcher (base/watcher.hpp), whose rules for callbacks apply. Callbacks that are registered in the order of a
  // queue's records are called in that order. Returns false, and drops the callback, if the record is done already. Any
  // thread, under any lock that callbacks do not acquire while the device calls them.
  virtual bool on_done(std::function<void()> callback) const = 0;
};

// An event that was never recorded counts as done. One thread records; any thread may query or wait.
class Event {
 public:
  virtual ~Event() = default;
  // True if all commands before the last record() have finished or failed. Never throws, never blocks.
  virtual bool done() const = 0;
  // Blocks until done; throws the Error of the first command before it that failed.
  virtual void wait() = 0;
  // Time of completion in nanoseconds on the device's clock (Device::clock); valid if done.
  virtual unsigned long long completed_ns() const = 0;
  // The last record; null if it was never recorded.
  virtual std::shared_ptr<const EventPoint> point() const = 0;
};

// Blocks until the point is done. Must not be called from a callback.
void wait_until_done(const EventPoint& point);

}  // namespace heddle::device
