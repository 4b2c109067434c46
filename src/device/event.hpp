// A point in a queue's order.
#pragma once

#include <functional>
#include <memory>

namespace heddle::device {

// One record of an event. It stays what it is when the event is recorded again or ends.
class EventPoint {
 public:
  virtual ~EventPoint() = default;
  // As Event::done(), of that record. Any thread.
  virtual bool done() const = 0;
  // Has `callback` called once, when the record is done: on the thread of the device's watcher (base/watcher.hpp),
  // whose rules for callbacks hold. Callbacks that are registered in the order of one queue's records are called in
  // that order. Returns false, and drops the callback, where the record is done already. Any thread, under any lock
  // that callbacks do not take while the device calls them.
  virtual bool on_done(std::function<void()> callback) const = 0;
};

// Not recorded yet counts as done. One thread records; any thread may ask or wait.
class Event {
 public:
  virtual ~Event() = default;
  // True when everything before the last record() has finished or failed. Never throws, never blocks.
  virtual bool done() const = 0;
  // Blocks until done; throws the Error of the first command before it that failed.
  virtual void wait() = 0;
  // Time of completion in nanoseconds on the device's clock (Device::clock); valid when done.
  virtual unsigned long long completed_ns() const = 0;
  // The last record; null when there was none.
  virtual std::shared_ptr<const EventPoint> point() const = 0;
};

// Blocks until the point is done. Not for callbacks.
void wait_until_done(const EventPoint& point);

}  // namespace heddle::device
