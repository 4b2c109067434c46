#include "base/clock.hpp"

#include <chrono>

namespace heddle::base {
namespace {

using Steady = std::chrono::steady_clock;

// How long a thread that waits on a manual clock sleeps until it looks at it again.
constexpr std::chrono::milliseconds manual_look{1};

}  // namespace

std::uint64_t SteadyClock::now_ns() const {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Steady::now().time_since_epoch()).count());
}

void SteadyClock::wait_until(Lock& lock, std::condition_variable& changed, std::uint64_t deadline_ns) const {
  changed.wait_until(lock.native(), Steady::time_point(std::chrono::nanoseconds(deadline_ns)));
}

void ManualClock::wait_until(Lock& lock, std::condition_variable& changed, std::uint64_t deadline_ns) const {
  if (now_ns() < deadline_ns) changed.wait_for(lock.native(), manual_look);
}

}  // namespace heddle::base
