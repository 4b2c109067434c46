// How a kernel's time depends on the units that it runs on, and the fewest units that are enough (LithOS, section 4.4).
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

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

// The same of a kernel with `blocks` blocks, of which a unit runs `blocks_of_unit` at once. Blocks run in waves, one
// after the other, so that the time changes only where the number of waves does: the fewest units with as many waves as
// on all of them cost nothing. `line`: nothing where it is not known; then only these.
inline unsigned least_units(double blocks, double blocks_of_unit, unsigned all, double slip,
                            const std::optional<Scaling>& line) {
  constexpr double rounding = 1e-9;
  const double loads = blocks / blocks_of_unit;
  double waves = std::max(std::ceil(loads / all - rounding), 1.0);
  if (line && line->m <= 0) return 1;
  // Of the time on all units, m / all is in proportion to the waves.
  if (line) waves = std::floor(waves * (1 + (slip - 1) * line->at(all) / (line->m / all)) + rounding);
  return static_cast<unsigned>(std::clamp(std::ceil(loads / waves - rounding), 1.0, static_cast<double>(all)));
}

}  // namespace heddle::sched::lithos
