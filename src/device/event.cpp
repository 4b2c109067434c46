#include "device/event.hpp"

#include <semaphore>

namespace heddle::device {

void wait_until_done(const EventPoint& point) {
  // Shared with the callback, which may still be in release() when acquire() returns.
  const auto reached = std::make_shared<std::binary_semaphore>(0);
  if (point.on_done([reached] { reached->release(); })) reached->acquire();
}

}  // namespace heddle::device
