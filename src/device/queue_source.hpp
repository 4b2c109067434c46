// The part of a device that creates queues and events.
#pragma once

#include <memory>

#include "device/event.hpp"
#include "device/queue.hpp"

namespace heddle::device {

class QueueSource {
 public:
  virtual ~QueueSource() = default;
  virtual std::unique_ptr<Queue> queue(const QueueOptions& options) = 0;
  virtual std::unique_ptr<Event> event() = 0;
  // An event for order only: its completed_ns() may be 0. Cheaper on GPUs.
  virtual std::unique_ptr<Event> untimed_event() { return event(); }
};

}  // namespace heddle::device
