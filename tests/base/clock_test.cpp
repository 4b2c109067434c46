#include "base/clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace heddle::base {
namespace {

TEST(Clock, SteadyClockAdvances) {
  SteadyClock clock;
  const std::uint64_t before = clock.now_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_GE(clock.now_ns() - before, 2'000'000u);
}

TEST(Clock, ManualClockStandsStill) {
  ManualClock clock;
  EXPECT_EQ(clock.now_ns(), 0u);
  clock.advance(25);
  EXPECT_EQ(clock.now_ns(), 25u);
}

TEST(Clock, StopwatchMeasuresSeconds) {
  Stopwatch watch;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_GE(watch.seconds(), 0.005);
  watch.restart();
  EXPECT_LT(watch.seconds(), 5.0);
}

}  // namespace
}  // namespace heddle::base
