// A point in a queue's order.
#pragma once

#include <memory>

namespace heddle::device {

// One record of an event, as queues of other devices see it: it stays what it is when the event is recorded again or
// ends.
class EventPoint {
 public:
  virtual ~EventPoint() = default;
  // As Event::done(), of that record. Any thread.
  virtual bool done() const = 0;
};

// Not recorded yet counts as done. One thread records; any thread may ask or wait.
class Event {
 public:
  virtual ~Event() = default;
  // True when everything before the last record() has finished or failed. Never throws, never blocks.
  virtual bool done() const = 0;
  // Blocks until done; throws the Error of the first command before it that failed.
  virtual void wait() = 0;
  // Device time of completion in nanoseconds on the device's clock; valid when done.
  virtual unsigned long long completed_ns() const = 0;
  // The last record; null when there was none.
  virtual std::shared_ptr<const EventPoint> point() const = 0;
};

}  // namespace heddle::device
