#include "base/clock.hpp"

#include <gtest/gtest.h>

#include <condition_variable>

namespace heddle::base {
namespace {

TEST(Clock, SteadyClockReachesItsDeadlines) {
  const SteadyClock clock;
  const std::uint64_t before = clock.now_ns(), deadline = before + 2'000'000;
  Mutex mutex;
  std::condition_variable changed;
  Lock lock(mutex);
  while (clock.now_ns() < deadline) clock.wait_until(lock, changed, deadline);
  EXPECT_GE(clock.now_ns() - before, 2'000'000u);
}

TEST(Clock, ManualClockStandsStill) {
  ManualClock clock;
  EXPECT_EQ(clock.now_ns(), 0u);
  clock.advance(25);
  EXPECT_EQ(clock.now_ns(), 25u);
}

TEST(Clock, StopwatchMeasuresSeconds) {
  ManualClock clock;
  Stopwatch watch(clock);
  clock.advance(5'000'000);
  EXPECT_DOUBLE_EQ(watch.seconds(), 0.005);
  watch.restart();
  EXPECT_DOUBLE_EQ(watch.seconds(), 0);
}

}  // namespace
}  // namespace heddle::base
