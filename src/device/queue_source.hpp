// What makes queues and events: a device, for those who need no more of it.
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
  // One whose completed_ns() nobody asks (it may be 0): for order only, which is cheaper on GPUs.
  virtual std::unique_ptr<Event> untimed_event() { return event(); }
};

}  // namespace heddle::device
