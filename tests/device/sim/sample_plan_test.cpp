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
    for (const unsigned waves : {4u, 5u, 9u})
      for (std::uint64_t blocks = wave * (waves + 1); blocks < wave * (waves + 1) + 300; blocks += 13) {
        const BlockRange range{11, 11 + blocks};
        const auto plan = plan_sample(range, wave, waves);
        ASSERT_TRUE(plan);
        expect_whole(*plan, range);
        EXPECT_EQ(plan->simulated.front().begin, range.begin);
        EXPECT_EQ(plan->simulated.back().end, range.end);
        EXPECT_EQ(plan->tail, blocks % wave != 0);
        EXPECT_EQ(plan->simulated_blocks(), waves * wave + blocks % wave);
      }
}

TEST(SamplePlan, SpreadsWavesOverTheGrid) {
  const auto plan = plan_sample({0, 1000}, 10, 5);
  ASSERT_TRUE(plan);
  const std::vector<BlockRange> wanted{{0, 10}, {240, 250}, {490, 500}, {740, 750}, {990, 1000}};
  EXPECT_EQ(plan->simulated, wanted);
}

TEST(SamplePlan, LeavesNothingOutOfShortGrids) {
  EXPECT_FALSE(plan_sample({0, 0}, 8, 4));
  EXPECT_FALSE(plan_sample({0, 100}, 0, 4));
  EXPECT_FALSE(plan_sample({0, 39}, 8, 4));
  EXPECT_TRUE(plan_sample({0, 40}, 8, 4));
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

TEST(SampleEstimate, IsExactForWavesThatAreAlike) {
  const auto plan = plan_sample({0, 50 * 8}, 8, 6);
  const SampleEstimate estimated = estimate(*plan, 900, ends_of(*plan, {300, 100, 100, 100, 100, 200}));
  EXPECT_EQ(estimated.cycles, 900u + 44 * 100);
  EXPECT_EQ(estimated.low, estimated.cycles);
  EXPECT_EQ(estimated.high, estimated.cycles);
}

// By hand: waves of 90, 100 and 110, t of two degrees of freedom 4.303, and 20 waves that were left out.
TEST(SampleEstimate, HasTheIntervalOfStudentsT) {
  const auto plan = plan_sample({0, 25 * 4}, 4, 5);
  const SampleEstimate estimated = estimate(*plan, 1000, ends_of(*plan, {300, 90, 100, 110, 400}));
  EXPECT_EQ(estimated.cycles, 1000u + 20 * 100);
  const double width = 4.303 * 10 * std::sqrt(20 + 20.0 * 20 / 3);
  EXPECT_NEAR(static_cast<double>(estimated.high - estimated.cycles), width, 1);
  EXPECT_NEAR(static_cast<double>(estimated.cycles - estimated.low), width, 1);
}

TEST(SampleEstimate, UsesTheLastWaveWhereOthersFollow) {
  const auto plan = plan_sample({0, 25 * 4 + 1}, 4, 5);
  std::vector<Cycle> ends = ends_of(*plan, {300, 100, 100, 100, 140});
  ends.push_back(1000);
  EXPECT_EQ(estimate(*plan, 1000, std::move(ends)).cycles, 1000u + 20 * 110);
}

}  // namespace
}  // namespace heddle::device::sim
