#include "device/cpu/barrier.hpp"

#include <gtest/gtest.h>

namespace heddle::device::cpu {
namespace {

using Outcome = BarrierSet::Outcome;

Outcome sync(BarrierSet& set, unsigned warp, std::uint32_t lanes = 32, std::uint32_t threads = 0, unsigned id = 0) {
  return set.arrive(id, warp * 32, threads, lanes, BarrierKind::sync, 0);
}

TEST(Barrier, WholeBlockNeedsEveryWarp) {
  BarrierSet set;
  set.reset(96);
  for (int phase = 0; phase < 3; ++phase) {
    EXPECT_EQ(sync(set, 2), Outcome::wait);
    EXPECT_TRUE(set.active(0));
    EXPECT_EQ(sync(set, 0), Outcome::wait);
    EXPECT_EQ(sync(set, 1), Outcome::complete);
    EXPECT_FALSE(set.active(0));
  }
}

TEST(Barrier, BlockThatIsNoNumberOfWarps) {
  BarrierSet set;
  set.reset(40);
  EXPECT_EQ(sync(set, 0), Outcome::wait);
  EXPECT_EQ(sync(set, 1, 8), Outcome::complete);
  // The same written with the count, rounded up to warps.
  EXPECT_EQ(sync(set, 0, 32, 64), Outcome::wait);
  EXPECT_EQ(sync(set, 1, 8, 64), Outcome::complete);
  // Not both: hardware calls that an illegal instruction.
  EXPECT_EQ(sync(set, 0, 32, 64), Outcome::wait);
  EXPECT_EQ(sync(set, 1, 8), Outcome::mixed);
}

TEST(Barrier, PartialCountsAndSeveralBarriers) {
  BarrierSet set;
  set.reset(128);
  EXPECT_EQ(sync(set, 0, 32, 64, 1), Outcome::wait);
  EXPECT_EQ(sync(set, 2, 32, 64, 2), Outcome::wait);
  EXPECT_EQ(sync(set, 1, 32, 64, 1), Outcome::complete);
  EXPECT_TRUE(set.active(2));
  EXPECT_EQ(sync(set, 3, 32, 64, 2), Outcome::complete);
}

TEST(Barrier, PartialCountCountsLastWarpInFull) {
  BarrierSet set;
  set.reset(72);  // the third warp has 8 threads
  EXPECT_EQ(sync(set, 0, 32, 64, 3), Outcome::wait);
  EXPECT_EQ(sync(set, 2, 8, 64, 3), Outcome::complete);
}

TEST(Barrier, ArriveDoesNotCountTwiceWhenTheThreadLeaves) {
  BarrierSet set;
  set.reset(96);
  EXPECT_EQ(set.arrive(0, 0, 0, 32, BarrierKind::arrive, 0), Outcome::wait);
  EXPECT_EQ(set.leave(0, 32), 0u);
  EXPECT_EQ(sync(set, 1), Outcome::wait);
  EXPECT_EQ(sync(set, 2), Outcome::complete);
}

// Threads one by one, as code with one lane has them.
TEST(Barrier, AThreadThatArrivesAndLeavesIsOneThread) {
  BarrierSet set;
  set.reset(64);
  EXPECT_EQ(set.arrive(1, 0, 64, 1, BarrierKind::arrive, 0), Outcome::wait);
  for (unsigned thread = 0; thread < 31; ++thread) EXPECT_EQ(set.leave(thread, 1), 0u);
  EXPECT_EQ(sync(set, 1, 32, 64, 1), Outcome::wait);
  EXPECT_TRUE(set.active(1));  // thread 31 has neither arrived nor left
  EXPECT_EQ(set.leave(31, 1), 1u << 1);
}

TEST(Barrier, AGroupThatArrivesAndLeavesStandsForNoOther) {
  BarrierSet set;
  set.reset(64);
  EXPECT_EQ(set.arrive(0, 0, 0, 16, BarrierKind::arrive, 0), Outcome::wait);
  EXPECT_EQ(set.leave(0, 16), 0u);
  EXPECT_EQ(sync(set, 1), Outcome::wait);
  EXPECT_EQ(set.arrive(0, 16, 0, 16, BarrierKind::sync, 0), Outcome::complete);
}

TEST(Barrier, ThreadsThatLeftCountAsArrived) {
  BarrierSet set;
  set.reset(96);
  EXPECT_EQ(sync(set, 0), Outcome::wait);
  EXPECT_EQ(set.leave(32, 20), 0u);
  EXPECT_EQ(sync(set, 1), Outcome::wait);
  EXPECT_EQ(set.leave(64, 31), 0u);
  EXPECT_EQ(set.leave(64, 1), 1u);  // completes barrier 0
  EXPECT_FALSE(set.active(0));
}

TEST(Barrier, ThreadsOfOtherWarpsThatLeftDoNotFillPartialCounts) {
  BarrierSet set;
  set.reset(128);
  EXPECT_EQ(set.leave(64, 32), 0u);
  EXPECT_EQ(set.leave(96, 32), 0u);
  EXPECT_EQ(sync(set, 0, 32, 64, 1), Outcome::wait);
  EXPECT_EQ(sync(set, 1, 32, 64, 1), Outcome::complete);
}

TEST(Barrier, WarpsThatLeftDoNotFillACountOfTheWholeBlock) {
  BarrierSet set;
  set.reset(64);
  EXPECT_EQ(set.leave(32, 32), 0u);
  EXPECT_EQ(sync(set, 0, 32, 64, 3), Outcome::wait);
  EXPECT_TRUE(set.active(3));
  EXPECT_EQ(sync(set, 0, 32, 0, 4), Outcome::complete);
}

TEST(Barrier, Reductions) {
  BarrierSet set;
  set.reset(64);
  const auto reduce = [&](BarrierKind kind, std::uint32_t first, std::uint32_t second) {
    EXPECT_EQ(set.arrive(5, 0, 0, 32, kind, first), Outcome::wait);
    EXPECT_EQ(set.arrive(5, 32, 0, 32, kind, second), Outcome::complete);
    return set.result(5);
  };
  EXPECT_EQ(reduce(BarrierKind::reduce_popc, 5, 32), 37u);
  EXPECT_EQ(reduce(BarrierKind::reduce_and, 32, 32), 1u);
  EXPECT_EQ(reduce(BarrierKind::reduce_and, 32, 31), 0u);
  EXPECT_EQ(reduce(BarrierKind::reduce_or, 0, 1), 1u);
  EXPECT_EQ(reduce(BarrierKind::reduce_or, 0, 0), 0u);
  // Threads that have left come with their warp, and the warp says yes for them.
  EXPECT_EQ(set.leave(0, 4), 0u);
  EXPECT_EQ(set.arrive(5, 0, 0, 32, BarrierKind::reduce_and, 32), Outcome::wait);
  EXPECT_EQ(set.arrive(5, 32, 0, 32, BarrierKind::reduce_and, 32), Outcome::complete);
  EXPECT_EQ(set.result(5), 1u);
}

TEST(Barrier, WrongUse) {
  BarrierSet set;
  set.reset(128);
  EXPECT_EQ(sync(set, 0, 32, 0, 16), Outcome::bad_number);
  EXPECT_EQ(sync(set, 0, 32, 40), Outcome::bad_count);
  EXPECT_EQ(sync(set, 0, 32, 64), Outcome::wait);
  EXPECT_EQ(sync(set, 1, 32, 96), Outcome::mixed);
  EXPECT_EQ(set.arrive(1, 0, 0, 32, BarrierKind::reduce_or, 1), Outcome::wait);
  EXPECT_EQ(set.arrive(1, 32, 0, 32, BarrierKind::reduce_and, 1), Outcome::mixed);
}

TEST(Barrier, MoreThreadsThanThereAreNeverComplete) {
  BarrierSet set;
  set.reset(64);
  EXPECT_EQ(sync(set, 0, 32, 128), Outcome::wait);
  EXPECT_EQ(sync(set, 1, 32, 128), Outcome::wait);
  EXPECT_TRUE(set.active(0));
}

TEST(Barrier, ResetForgetsAnUnfinishedPhase) {
  BarrierSet set;
  set.reset(64);
  EXPECT_EQ(sync(set, 0), Outcome::wait);
  set.leave(32, 5);
  set.reset(64);
  EXPECT_EQ(set.left(), 0u);
  EXPECT_EQ(sync(set, 1), Outcome::wait);
  EXPECT_EQ(sync(set, 0), Outcome::complete);
}

}  // namespace
}  // namespace heddle::device::cpu
