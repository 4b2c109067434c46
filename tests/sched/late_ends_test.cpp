// Whose ends may be recorded late.
#include "sched/late_ends.hpp"
#include "sched/short_times.hpp"

#include <gtest/gtest.h>

namespace heddle::sched {
namespace {

TEST(LateEnds, AreThoseOfShortKernelsThatNothingNeeded) {
  LateEnds ends;
  for (int i = 0; i < LateEnds::launches; ++i) EXPECT_FALSE(ends.may_be_late(1, 5e-6));
  EXPECT_TRUE(ends.may_be_late(1, 5e-6));
  EXPECT_TRUE(ends.may_be_late(1, LateEnds::longest_seconds));
  EXPECT_FALSE(ends.may_be_late(1, 2 * LateEnds::longest_seconds));
  EXPECT_FALSE(ends.may_be_late(1, 0)) << "its time is not known";
  EXPECT_FALSE(ends.may_be_late(2, 5e-6)) << "another kernel";
  ends.needed(1);
  for (int i = 0; i < LateEnds::launches; ++i) EXPECT_FALSE(ends.may_be_late(1, 5e-6));
  EXPECT_TRUE(ends.may_be_late(1, 5e-6));
}

TEST(ShortTimes, OutlastAFewLongOnes) {
  ShortTimes times;
  EXPECT_EQ(times.of(1, 0), 0) << "not known";
  EXPECT_EQ(times.of(1, 2e-6), 2e-6);
  EXPECT_EQ(times.of(1, 50e-6), 3e-6) << "the host paused";
  EXPECT_EQ(times.of(1, 50e-6), 3e-6) << "the same measurement";
  EXPECT_EQ(times.of(2, 50e-6), 50e-6) << "another kernel";
  EXPECT_EQ(times.of(1, 1e-6), 1e-6);
  double seconds = 0;
  for (int i = 0; i < 12; ++i) seconds = times.of(1, (40 + i) * 1e-6);
  EXPECT_EQ(seconds, 51e-6) << "it takes longer now";
}

}  // namespace
}  // namespace heddle::sched
