#include "sched/clock_alignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

namespace heddle::sched {
namespace {

// A device whose clock starts so far behind the host's, and loses so much of each second.
struct Clock {
  double offset_ns = 0, lost = 0;
  std::uint64_t at(std::uint64_t host_ns) const {
    const double device = static_cast<double>(host_ns) * (1 - lost) - offset_ns;
    return static_cast<std::uint64_t>(device);
  }
};

void follows(const Clock& clock) {
  ClockAlignment alignment;
  std::mt19937 random(5);
  std::exponential_distribution<double> delay(1 / 20e3);
  std::uint64_t now = 5'000'000'000;
  double worst = 0;
  for (int i = 0; i < 20'000; ++i) {
    now += 500'000;
    // Noticed 3 us later at least, now and then much later.
    const auto noticed = now + 3000 + static_cast<std::uint64_t>(i % 50 == 0 ? 5e6 : delay(random));
    const std::uint64_t host = alignment.host_ns(clock.at(now), noticed);
    ASSERT_LE(host, noticed);
    if (i > 400) worst = std::max(worst, std::abs(static_cast<double>(host) - static_cast<double>(now)));
  }
  EXPECT_LT(worst, 12e3) << clock.offset_ns << " " << clock.lost;
}

TEST(ClockAlignment, FollowsAClockThatIsOff) {
  follows({});
  follows({.offset_ns = 150e3});
  follows({.offset_ns = -80e3});
  follows({.lost = 18e-6});
  follows({.offset_ns = 1e6, .lost = -25e-6});
}

TEST(ClockAlignment, KeepsTheTimesOfAClockThatIsRight) {
  ClockAlignment alignment;
  for (std::uint64_t now = 1; now < 1'000'000'000; now += 7'000'000) EXPECT_EQ(alignment.host_ns(now, now), now);
}

}  // namespace
}  // namespace heddle::sched
