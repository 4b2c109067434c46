// How a kernel's time depends on the units that it runs on, and the fewest units that are enough (LithOS, section 4.4).
#pragma once

#include <algorithm>
#include <cmath>

namespace heddle::sched::lithos {

// l(t) = m / t + b: `m` unit-seconds of parallel work, and `b` seconds that no unit shortens.
struct Scaling {
  double m = 0, b = 0;
  double at(double units) const { return m / units + b; }

  // Through the times with one unit and with `all` units. A negative b is no time: then all of it scales.
  static Scaling through(double one, double most, unsigned all) {
    if (all <= 1) return {one, 0};
    const double n = all;
    const Scaling line{(one - most) * n / (n - 1), (n * most - one) / (n - 1)};
    return line.b >= 0 ? line : Scaling{most * n, 0};
  }

  // The fewest units with which it takes at most `slip` times as long as with all of them.
  unsigned least(unsigned all, double slip) const {
    const double room = slip * at(all) - b;
    if (m <= 0 || all <= 1) return 1;
    if (room <= 0) return all;
    constexpr double rounding = 1e-9;
    return static_cast<unsigned>(std::clamp(std::ceil(m / room - rounding), 1.0, static_cast<double>(all)));
  }
};

}  // namespace heddle::sched::lithos
