// Which blocks of a sampled launch are simulated, and the estimate of what all take.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "device/sim/sampling/plan.hpp"

namespace heddle::device::sim {
namespace {

// Every block of the range is in exactly one part; parts ascend and do not touch one another.
void expect_whole(const SamplePlan& plan, BlockRange range) {
  std::vector<BlockRange> all = plan.simulated;
  all.insert(all.end(), plan.rest.begin(), plan.rest.end());
  std::sort(all.begin(), all.end(), [](const BlockRange& a, const BlockRange& b) { return a.begin < b.begin; });
  std::uint64_t at = range.begin;
  for (const BlockRange& part : all) {
    EXPECT_EQ(part.begin, at);
    EXPECT_FALSE(part.empty());
    at = part.end;
  }
  EXPECT_EQ(at, range.end);
  EXPECT_EQ(plan.simulated_blocks() + plan.skipped * plan.wave, range.size());
}

TEST(SamplePlan, CoversEveryGrid) {
  for (const std::uint64_t wave : {1u, 7u, 64u})
    for (const std::uint64_t waves : {10u, 11u, 14u, 23u})
      for (std::uint64_t blocks = wave * (waves + 1); blocks < wave * (waves + 1) + 300; blocks += 13) {
        const BlockRange range{11, 11 + blocks};
        const auto plan = plan_sample(range, wave, waves);
        ASSERT_TRUE(plan);
        expect_whole(*plan, range);
        EXPECT_EQ(plan->simulated.front().begin, range.begin);
        EXPECT_EQ(plan->simulated.back().end, range.end);
        EXPECT_EQ(plan->tail, blocks % wave != 0);
        EXPECT_EQ(plan->simulated_blocks(), waves * wave + blocks % wave);
        EXPECT_EQ(plan->first_group + 4 * plan->group, waves);
      }
}

TEST(SamplePlan, SpreadsGroupsOverTheGrid) {
  const auto plan = plan_sample({0, 1003}, 10, 11);
  ASSERT_TRUE(plan);
  const std::vector<BlockRange> wanted{{0, 30}, {250, 270}, {490, 510}, {730, 750}, {980, 1003}};
  EXPECT_EQ(plan->simulated, wanted);
}

TEST(SamplePlan, LeavesNothingOutOfShortGrids) {
  EXPECT_FALSE(plan_sample({0, 0}, 8, 10));
  EXPECT_FALSE(plan_sample({0, 100}, 0, 10));
  EXPECT_FALSE(plan_sample({0, 87}, 8, 10));
  EXPECT_TRUE(plan_sample({0, 88}, 8, 10));
}

// Ends of blocks of waves that take these times, and the cycles of all.
std::vector<Cycle> ends_of(const SamplePlan& plan, const std::vector<Cycle>& times) {
  std::vector<Cycle> ends;
  Cycle at = 0;
  for (const Cycle time : times) {
    at += time;
    for (std::uint64_t i = 0; i < plan.wave; ++i) ends.push_back(at - i);
  }
  std::reverse(ends.begin(), ends.end());
  return ends;
}

// The first group, the first wave of each other one and the last wave of all tell nothing.
TEST(SampleEstimate, IsExactForWavesThatAreAlike) {
  const auto plan = plan_sample({0, 50 * 8}, 8, 15);
  const SampleEstimate estimated =
      estimate(*plan, 2000, ends_of(*plan, {300, 150, 120, 130, 100, 100, 140, 100, 100, 130, 100, 100, 150, 100, 60}));
  EXPECT_EQ(estimated.cycles, 2000u + 35 * 100);
  EXPECT_EQ(estimated.low, estimated.cycles - 70);  // 2 %
  EXPECT_EQ(estimated.high, estimated.cycles + 70);
}

// By hand: groups of 90, 100, 110 and 100, whose deviation is the root of 200/3; t of three degrees of freedom; a drift
// from 95 to 105; and 2 %.
TEST(SampleEstimate, HasTheIntervalOfStudentsT) {
  const auto plan = plan_sample({0, 30 * 4 + 1}, 4, 10);
  std::vector<Cycle> ends = ends_of(*plan, {300, 200, 150, 90, 150, 100, 150, 110, 150, 100});
  ends.push_back(1600);
  const SampleEstimate estimated = estimate(*plan, 1600, std::move(ends));
  EXPECT_EQ(estimated.cycles, 1600u + 20 * 100);
  const double width = 3.182 * std::sqrt(200.0 / 3) * std::sqrt(20 + 20.0 * 20 / 4) + 20 * 10 + 40;
  EXPECT_NEAR(static_cast<double>(estimated.high - estimated.cycles), width, 1);
  EXPECT_NEAR(static_cast<double>(estimated.cycles - estimated.low), width, 1);
}

// Where no blocks follow the last whole wave, a last group of two has nothing to tell: three are left.
TEST(SampleEstimate, LeavesOutTheWaveInWhichTheMachineEmpties) {
  const auto plan = plan_sample({0, 30 * 4}, 4, 10);
  const SampleEstimate estimated =
      estimate(*plan, 1600, ends_of(*plan, {300, 200, 150, 90, 150, 100, 150, 110, 150, 50}));
  EXPECT_EQ(estimated.cycles, 1600u + 20 * 100);
  const double width = 4.303 * 10 * std::sqrt(20 + 20.0 * 20 / 3) + 20 * 20 + 40;
  EXPECT_NEAR(static_cast<double>(estimated.high - estimated.cycles), width, 1);
}

}  // namespace
}  // namespace heddle::device::sim
