#include "tuning/balance.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "tuning/cost_surface.hpp"

namespace heddle::tuning {
namespace {

// Devices of constant speed whose ideal share is `ideal`.
Measured toy(double share, double ideal) { return {share / ideal, (1 - share) / (1 - ideal)}; }

TEST(Balance, DeviationIsTheShortestOverTheLongest) {
  EXPECT_DOUBLE_EQ(deviation(std::array{2.0, 4.0, 3.0}), 0.5);
  EXPECT_DOUBLE_EQ(deviation(std::array{2.0}), 1);
  EXPECT_DOUBLE_EQ(deviation(std::array{2.0, 0.0}), 0);
}

TEST(Balance, TheThresholdAfterUnbalancedRuns) {
  BalanceMonitor monitor;
  const std::array expected{1.0 / 3, 5.0 / 9, 19.0 / 27, 65.0 / 81};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(monitor.record(0.5), i == 3);
    EXPECT_NEAR(monitor.threshold(), expected[i], 1e-12);
  }
}

TEST(Balance, TheThirdRunTriggersWhereThereWasUnbalanceBefore) {
  BalanceMonitor monitor;
  monitor.record(0.5);
  monitor.record(0.9);  // 0.222
  EXPECT_FALSE(monitor.record(0.5));
  EXPECT_FALSE(monitor.record(0.5));
  EXPECT_TRUE(monitor.record(0.5));
}

TEST(Balance, ASingleUnbalancedRunNeverTriggers) {
  BalanceMonitor monitor;
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(monitor.record(i % 4 == 0 ? 0.1 : 0.95));
}

TEST(Balance, AProgramThatRunsBestUnbalancedLowersTheBar) {
  BalanceMonitor monitor;
  EXPECT_FALSE(monitor.balanced(0.75));
  monitor.set_best_deviation(0.7);
  EXPECT_NEAR(monitor.correction(), 0.15, 1e-12);
  EXPECT_TRUE(monitor.balanced(0.75));
  EXPECT_FALSE(monitor.balanced(0.69));
}

struct Jump {
  double before, after;
  unsigned steps;
  double share;
};

TEST(AdaptiveSearchGolden, JumpsOfTheIdealShare) {
  for (const Jump& jump :
       {Jump{.75, .93, 3, .9375}, Jump{.75, .5, 5, .5}, Jump{.93, .75, 3, .7425}, Jump{.755, .97, 6, .96875}}) {
    LoadBalancer balancer(jump.before, 1.0 / 4096);
    int bad = 0;
    for (int run = 0; run < 40; ++run) {
      const Measured measured = toy(balancer.gpu_share(), run < 10 ? jump.before : jump.after);
      const bool moved = balancer.record(measured.gpu_seconds, measured.cpu_seconds);
      if (run < 10) {
        EXPECT_FALSE(moved);
      } else if (balancer.steps() == 0) {
        ++bad;
      }
    }
    EXPECT_EQ(bad, 3) << "the fourth unbalanced run triggers";
    EXPECT_EQ(balancer.steps(), jump.steps) << jump.before << " to " << jump.after;
    EXPECT_NEAR(balancer.gpu_share(), jump.share, 1e-12);
    EXPECT_EQ(balancer.corrections(), 1u);
    EXPECT_FALSE(balancer.balancing());
  }
}

TEST(AdaptiveSearch, DoublesAfterMoreThanTwoShiftsInADirection) {
  AdaptiveSearch search(0.1, 1e-3);
  const std::array parts{.125, .125, .125, .25, .5, .5};
  for (const double part : parts) {
    search.step(Side::gpu);
    EXPECT_DOUBLE_EQ(search.transferable(), part);
  }
  search.step(Side::cpu);
  EXPECT_DOUBLE_EQ(search.transferable(), .25);
}

// H2: the load of the CPU grows at run 50 and ends at run 150.
TEST(LoadBalancer, FollowsAStepOfLoadAndComesBack) {
  for (const double load : {1.5, 2.0, 4.0, 8.0}) {
    CostSurface surface;
    surface.gpu_seconds_per_element = 1e-9;
    surface.transfer_seconds_per_element = 0;
    surface.cpu_seconds_per_element = 3e-9;
    LoadBalancer balancer(0.75, 1.0 / 4096);
    double frozen = 0, adapted = 0;
    int settled = -1, back = -1, shifts = 0;
    bool shifting = true;
    for (int run = 0; run < 250; ++run) {
      surface.cpu_load = run >= 50 && run < 150 ? load : 1;
      const Measured measured = surface.measure({.gpu_share = balancer.gpu_share()});
      const bool balanced = deviation(std::array{measured.gpu_seconds, measured.cpu_seconds}) >= 0.85;
      if (run >= 50 && settled < 0 && balanced) settled = run - 50;
      if (run >= 150 && back < 0 && balanced) back = run - 150;
      if (run >= 65 && run < 150) {
        adapted += measured.seconds();
        frozen += surface.measure({.gpu_share = 0.75}).seconds();
      }
      const double share = balancer.gpu_share();
      balancer.record(measured.gpu_seconds, measured.cpu_seconds);
      if (run < 50 || run >= 150) continue;
      shifting = shifting && !(settled >= 0 || balancer.gpu_share() < share);
      if (shifting && balancer.gpu_share() > share) ++shifts;
    }
    EXPECT_GE(shifts, 1) << load;
    EXPECT_LE(shifts, 4) << load;
    EXPECT_GE(settled, 0);
    EXPECT_LE(settled, 15) << load;
    EXPECT_GE(back, 0);
    EXPECT_LE(back, 15) << load;
    EXPECT_GE(frozen, 1.1 * adapted) << load;
  }
}

// Other programs take the CPU: the smallest part of the work waits for a processor longer than the GPU takes for all.
TEST(LoadBalancer, LeavesATypeThatOnlyWaits) {
  LoadBalancer balancer(0.97, 1.0 / 1024);
  int run = 0;
  for (; run < 30 && !(balancer.gpu_share() == 1 && !balancer.balancing() && run > 4); ++run) {
    const double share = balancer.gpu_share(), noise = 1 + 0.2 * (run % 3);
    balancer.record(share * noise, share < 1 ? 4 * noise : 0);
  }
  EXPECT_LE(run, 7);
  for (; run < 60; ++run) {
    balancer.record(1, 0);
    EXPECT_EQ(balancer.gpu_share(), 1);
  }
  // Later it looks again: the load may have ended.
  for (; run < 100 && balancer.balancing() == false; ++run) balancer.record(balancer.gpu_share(), 0);
  EXPECT_LT(run, 100);
}

TEST(LoadBalancer, FindsThatOneTypeAloneIsBest) {
  CostSurface surface;
  surface.transfer_seconds_per_element = 0;
  surface.cpu_seconds_per_element = 100 * surface.gpu_seconds_per_element;
  surface.cpu_overhead = 2 * surface.elements * surface.gpu_seconds_per_element;
  LoadBalancer balancer(0.5, 1.0 / 256);
  int alone = 0;
  for (int run = 0; run < 60; ++run) {
    const Measured measured = surface.measure({.gpu_share = balancer.gpu_share()});
    if (run >= 40 && measured.cpu_seconds == 0) ++alone;
    balancer.record(measured.gpu_seconds, measured.cpu_seconds);
  }
  EXPECT_EQ(balancer.gpu_share(), 1);
  EXPECT_EQ(alone, 20);
}

}  // namespace
}  // namespace heddle::tuning
