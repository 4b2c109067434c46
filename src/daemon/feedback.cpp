#include "daemon/feedback.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::daemon {

void Feedback::begin(Phase phase, Progress now) {
  settling_ = phase != phase_;
  if (settling_ && phase == Phase::lent) {
    windows_ = 0;
    lent_launches_ = lent_busy_ns_ = 0;
  }
  phase_ = phase;
  since_ = now;
  looks_ = looks_with_guests_ = 0;
}

bool Feedback::is_over(std::uint64_t launches, std::uint64_t busy_ns) const {
  if (phase_ == Phase::lent && lent_ < small_part) return busy_ns >= small_ns && launches >= small_launches;
  return busy_ns >= (phase_ == Phase::alone ? alone_ns : lent_ns) && launches >= least_launches;
}

void Feedback::measured_alone(double rate) {
  const double before = alone_rate_;
  alone_rate_ = rate;
  if (before == 0) return;
  const double difference = std::abs(std::log(rate / before));
  const bool is_usual = difference <= std::max(most_difference, usual_noises * noise_);
  noise_ += 0.2 * (std::min(difference, most_noise) - noise_);
  if (windows_ != 0) {
    if (is_usual)
      judge(before, rate, static_cast<double>(lent_launches_) / static_cast<double>(lent_busy_ns_));
    else
      phase_windows_ = 1;
    windows_ = 0;
  } else if (rest_ > 0) {
    --rest_;
  }
}

bool Feedback::measured_lent(std::uint64_t launches, std::uint64_t busy_ns) {
  ++windows_;
  lent_launches_ += launches;
  lent_busy_ns_ += busy_ns;
  const double rate = static_cast<double>(launches) / static_cast<double>(busy_ns);
  return windows_ >= phase_windows_ || alone_rate_ > suspicious * rate;
}

// The harm is taken to be in proportion to the part.
void Feedback::judge(double before, double after, double with_guests) {
  slowdown_ = std::sqrt(before * after) / with_guests;
  // Short of what is allowed, so that an owner that loses what guests get is not worth a try.
  const double allowed = 0.9 * (allowed_slowdown - 1) + noise_weight * std::min(noise_, most_difference);
  const double harm = slowdown_ - 1;
  const double growth = harm * most_growth <= allowed ? most_growth : std::max(allowed / harm, least_growth);
  const double before_part = lent_;
  lent_ = std::min(lent_ * growth, most_part);
  if (lent_ < least_part) return give_up();
  next_rest_ = 1;
  const bool settled = std::abs(lent_ - before_part) <= 0.1 * before_part;
  phase_windows_ = settled ? std::min(2 * phase_windows_, most_windows) : 1;
}

void Feedback::give_up() {
  rest_ = next_rest_;
  next_rest_ = std::min(2 * next_rest_, most_rest);
  lent_ = first_part;
  phase_windows_ = 1;
}

void Feedback::look(Progress now, bool guests) {
  // One of its processes has ended.
  if (now.launches < since_.launches || now.busy_ns < since_.busy_ns || now.device_ns < since_.device_ns)
    return begin(phase_, now);
  ++looks_;
  if (guests) ++looks_with_guests_;
  const std::uint64_t launches = now.launches - since_.launches, busy_ns = now.busy_ns - since_.busy_ns;
  if (settling_) {
    if (busy_ns < settle_ns) return;
    begin(phase_, now);
    return;
  }
  if (!is_over(launches, busy_ns)) return;
  // A guest that waits for its host now and then is one.
  const bool had_guests = 2 * looks_with_guests_ >= looks_;
  if (phase_ == Phase::lent && !had_guests) {
    windows_ = 0;  // it says nothing about them
    return begin(Phase::alone, now);
  }
  if (phase_ == Phase::lent) return begin(measured_lent(launches, busy_ns) ? Phase::alone : Phase::lent, now);
  device_part_ = static_cast<double>(now.device_ns - since_.device_ns) / static_cast<double>(busy_ns);
  measured_alone(static_cast<double>(launches) / static_cast<double>(busy_ns));
  begin(had_guests && rest_ == 0 && device_part_ < full ? Phase::lent : Phase::alone, now);
}

}  // namespace heddle::daemon
