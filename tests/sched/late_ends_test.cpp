// Whose ends may be recorded late.
#include "sched/late_ends.hpp"

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

}  // namespace
}  // namespace heddle::sched
