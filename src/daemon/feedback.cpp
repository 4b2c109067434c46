#include "daemon/feedback.hpp"

#include <algorithm>

namespace heddle::daemon {

void Feedback::begin(Phase phase, Progress now) {
  settling_ = phase != phase_;
  phase_ = phase;
  since_ = now;
}

void Feedback::measured_alone(double rate) {
  constexpr double weight = 0.4;  // of the newest: programs vary by some percent from one window to the next
  alone_rate_ = alone_rate_ == 0 ? rate : alone_rate_ + weight * (rate - alone_rate_);
}

// An integral controller: what varies from window to window cancels out over several.
void Feedback::measured_lent(double rate) {
  slowdown_ = alone_rate_ / rate;
  const double step = gain * (allowed_slowdown - slowdown_);
  lent_ = std::clamp(lent_ + std::clamp(step, -lent_ / 2, most_step), least_part, most_part);
  ++windows_;
}

void Feedback::look(Progress now, bool guests) {
  // One of its processes has ended.
  if (now.launches < since_.launches || now.busy_ns < since_.busy_ns) return begin(phase_, now);
  if (phase_ == Phase::lent && !guests) return begin(Phase::alone, now);
  const std::uint64_t launches = now.launches - since_.launches, busy_ns = now.busy_ns - since_.busy_ns;
  if (settling_) {
    if (busy_ns < settle_ns) return;
    settling_ = false;
    since_ = now;
    return;
  }
  if (busy_ns < (phase_ == Phase::alone ? alone_ns : lent_ns) || launches < least_launches) return;
  const double rate = static_cast<double>(launches) / static_cast<double>(busy_ns);
  if (phase_ == Phase::alone) {
    measured_alone(rate);
    windows_ = 0;
    return begin(guests ? Phase::lent : Phase::alone, now);
  }
  measured_lent(rate);
  begin(windows_ < lent_windows ? Phase::lent : Phase::alone, now);
}

}  // namespace heddle::daemon
