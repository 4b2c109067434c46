// When requests arrive.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "tenancy/random.hpp"

namespace heddle::tenancy {

enum class Arrivals : std::uint8_t {
  closed,   // the next one when one has ended
  poisson,  // independent of each other, at a constant rate
  trace     // Poisson with the rate of a day of a service, shortened
};

// The requests of an hour over the mean of the day. They swing by 2.2, as in LithOS's study of a fleet.
inline constexpr std::array<double, 24> hours_of_day = {0.80, 0.72, 0.66, 0.63, 0.63, 0.66, 0.75, 0.88,
                                                        1.00, 1.10, 1.17, 1.21, 1.23, 1.24, 1.25, 1.26,
                                                        1.28, 1.32, 1.38, 1.39, 1.32, 1.18, 1.03, 0.91};
constexpr double seconds_of_day = 24;  // of the shortened one

// The next arrival after `now` seconds, at a mean rate of so many a second.
inline double next_arrival(Arrivals kind, double rate, double now, Random& random) {
  if (kind != Arrivals::trace) return now + random.exponential(1 / rate);
  // By thinning.
  constexpr double most = 1.4;
  for (double at = now;;) {
    at += random.exponential(1 / (rate * most));
    const auto hour = static_cast<std::size_t>(std::fmod(at, seconds_of_day) / seconds_of_day * 24);
    if (random.uniform() * most <= hours_of_day[hour % 24]) return at;
  }
}

}  // namespace heddle::tenancy
