#include "daemon/feedback.hpp"

#include <algorithm>

namespace heddle::daemon {

void Feedback::begin(Phase phase, Progress now) {
  settling_ = phase != phase_;
  if (settling_) windows_ = 0;
  phase_ = phase;
  since_ = now;
}

bool Feedback::is_over(std::uint64_t launches, std::uint64_t busy_ns) const {
  if (phase_ == Phase::lent && lent_ < small_part) return busy_ns >= small_ns && launches >= small_launches;
  return busy_ns >= (phase_ == Phase::alone ? alone_ns : lent_ns) && launches >= least_launches;
}

void Feedback::measured_alone(double rate) {
  constexpr double weight = 0.4;  // of the newest: programs vary by some percent from one window to the next
  alone_rate_ = alone_rate_ == 0 ? rate : alone_rate_ + weight * (rate - alone_rate_);
}

// An integral controller: what varies from window to window cancels out over several.
void Feedback::measured_lent(double rate) {
  slowdown_ = alone_rate_ / rate;
  const double step = gain * (allowed_slowdown - slowdown_);
  lent_ = std::min(lent_ + std::clamp(step, -lent_ / 2, most_step), most_part);
}

void Feedback::look(Progress now, bool guests) {
  // One of its processes has ended.
  if (now.launches < since_.launches || now.busy_ns < since_.busy_ns || now.device_ns < since_.device_ns)
    return begin(phase_, now);
  if (phase_ == Phase::lent && !guests) return begin(Phase::alone, now);
  const std::uint64_t launches = now.launches - since_.launches, busy_ns = now.busy_ns - since_.busy_ns;
  if (settling_) {
    if (busy_ns < settle_ns) return;
    settling_ = false;
    since_ = now;
    return;
  }
  if (!is_over(launches, busy_ns)) return;
  const double rate = static_cast<double>(launches) / static_cast<double>(busy_ns);
  ++windows_;
  if (phase_ == Phase::alone) {
    measured_alone(rate);
    device_part_ = static_cast<double>(now.device_ns - since_.device_ns) / static_cast<double>(busy_ns);
    begin(guests && windows_ >= rest_ && device_part_ < full ? Phase::lent : Phase::alone, now);
  } else {
    measured_lent(rate);
    const bool worth_it = lent_ >= least_part;
    if (!worth_it || windows_ == lent_windows) rest(worth_it);
    begin(!worth_it || windows_ == lent_windows ? Phase::alone : Phase::lent, now);
  }
}

// How long nothing is lent now.
void Feedback::rest(bool was_worth_it) {
  rest_ = was_worth_it ? 1 : next_rest_;
  next_rest_ = was_worth_it ? 1 : std::min(2 * next_rest_, most_rest);
  if (!was_worth_it) lent_ = first_part;
}

}  // namespace heddle::daemon
