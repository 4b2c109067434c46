// Waiting for a while, on a clock that tests can move.
#pragma once

#include <condition_variable>
#include <cstdint>

#include "base/clock.hpp"
#include "base/thread_safety.hpp"

namespace heddle::daemon {

inline void pause(const base::Clock& clock, std::uint64_t nanoseconds) {
  base::Mutex mutex;
  std::condition_variable nobody_notifies;
  base::Lock lock(mutex);
  const std::uint64_t end = clock.now_ns() + nanoseconds;
  while (clock.now_ns() < end) clock.wait_until(lock, nobody_notifies, end);
}

}  // namespace heddle::daemon
