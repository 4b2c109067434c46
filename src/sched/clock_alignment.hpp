// The host's time of events of a device that has a clock of its own. GPUs' clocks are off by some 20 us a second.
#pragma once

#include <algorithm>
#include <cstdint>

namespace heddle::sched {

// An end is noticed a few microseconds after it has happened, seldom later. So the least time between an end by the
// device's clock and its notice is how far that clock is behind, or a little more.
class ClockAlignment {
 public:
  // `completed_ns`: by the device's clock. `now_ns`: the host's, when the end was noticed. Never later than `now_ns`.
  std::uint64_t host_ns(std::uint64_t completed_ns, std::uint64_t now_ns) {
    const auto behind = static_cast<std::int64_t>(now_ns - completed_ns);
    if (!any_ || now_ns >= window_end_ns_) {
      before_ = any_ ? now_least_ : behind;
      now_least_ = behind;
      window_end_ns_ = now_ns + window_ns;
      any_ = true;
    }
    now_least_ = std::min(now_least_, behind);
    return completed_ns + static_cast<std::uint64_t>(std::min(before_, now_least_));
  }

 private:
  static constexpr std::uint64_t window_ns = 100'000'000;  // in which the clocks part by some 2 us
  bool any_ = false;
  std::uint64_t window_end_ns_ = 0;
  std::int64_t before_ = 0, now_least_ = 0;  // least in the window before, and in this one
};

}  // namespace heddle::sched
