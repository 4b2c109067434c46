#include "model/corun/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace heddle::model {
namespace {

Demands kernel(double issuing, double memory, double away) {
  Demands made;
  made.cycles[issue] = issuing;
  made.cycles[dram] = memory;
  made.away = Away::always(away);
  return made;
}

// Exact mean value analysis of one class: from one warp to all.
double exact_ipc(const Demands& demands, unsigned warps) {
  std::array<double, stations> queue{};
  double ipc = 0;
  for (unsigned n = 1; n <= warps; ++n) {
    std::array<double, stations> time{};
    double sum = demands.away.at(warps);
    for (std::size_t i = 0; i < stations; ++i) sum += time[i] = demands.cycles[i] * (1 + queue[i]);
    ipc = n / sum;
    for (std::size_t i = 0; i < stations; ++i) queue[i] = ipc * time[i];
  }
  return ipc;
}

TEST(Network, OneWarpWaitsForNobody) {
  for (const double away : {0.0, 17.0, 400.0}) EXPECT_NEAR(network_ipc(kernel(1, .5, away), 1), 1 / (1.5 + away), 1e-9);
  EXPECT_EQ(network_ipc(kernel(1, .5, 10), 0), 0);
}

// Turns that take the same time wait for less than turns of random length, and no kernel is faster than its
// units by more than the approximation errs.
TEST(Network, IsBetweenRandomTurnsAndNoWaiting) {
  for (const Demands& one : {kernel(1, 0, 17), kernel(1, .5, 100), kernel(1, 3, 20), kernel(.25, .3, 30)})
    for (const unsigned warps : {2u, 8u, 24u, 48u}) {
      const double longest = std::max(one.cycles[issue], one.cycles[dram]);
      const double free = std::min(1 / longest, warps / (one.all() + one.away.at(warps)));
      const double ipc = network_ipc(one, warps), random = exact_ipc(one, warps);
      EXPECT_LT(ipc, free * 1.02) << warps << " warps, " << one.away.at(warps);
      EXPECT_GT(ipc, random * .99) << warps << " warps, " << one.away.at(warps);
    }
}

TEST(Network, TheUnitThatIsNeededMostLimits) {
  EXPECT_NEAR(network_ipc(kernel(1, 0, 18), 1000), 1, .01);
  EXPECT_NEAR(network_ipc(kernel(1, 4, 18), 1000), .25, .01);
}

TEST(Network, CyclesAwayAreFoundAgain) {
  for (const double away : {0.0, 17.0, 400.0})
    for (const unsigned warps : {1u, 8u, 48u}) {
      const Demands one = kernel(1, .7, away);
      EXPECT_NEAR(cycles_away(one, warps, warps / network_ipc(one, warps)), away, .02 * (away + warps));
    }
}

TEST(Network, AKernelWithItselfGainsNothing) {
  const Demands one = kernel(1, .7, 50);
  const PairIpc ipc = network_ipc(one, 4, one, 4, 0);
  const double alone = network_ipc(one, 8);
  EXPECT_NEAR(ipc.first, ipc.second, 1e-4);
  EXPECT_NEAR(ipc.sum(), alone, 1e-4);
  EXPECT_NEAR(coscheduling_profit(ipc, alone, alone), 0, 1e-3);
}

TEST(Network, TheOrderDoesNotMatter) {
  Demands a = kernel(1, .1, 20), b = kernel(1, 2, 300);
  a.cycles[port] = .2;
  a.accesses = .01;
  b.cycles[port] = 3;
  b.accesses = .1;
  const PairIpc ab = network_ipc(a, 12, b, 7), ba = network_ipc(b, 7, a, 12);
  EXPECT_NEAR(ab.first, ba.second, 1e-3);
  EXPECT_NEAR(ab.second, ba.first, 1e-3);
}

// One computes, one waits: both together are nearly as fast as each alone. Two that need the same unit take turns.
TEST(Network, WhatBothNeedDecides) {
  const Demands computes = kernel(1, 0, 18), loads = kernel(1, 20, 300), slow = kernel(1, 0, 900);
  const auto profit = [](const Demands& a, const Demands& b) {
    return coscheduling_profit(network_ipc(a, 24, b, 24), network_ipc(a, 48), network_ipc(b, 48));
  };
  EXPECT_GT(profit(computes, loads), .4);
  EXPECT_LT(profit(computes, computes), .01);
  EXPECT_LT(profit(loads, loads), .01);
  EXPECT_GT(profit(computes, loads), profit(computes, slow)) << "half of the warps that only wait are half as fast";
}

// The load/store unit takes one access after the other, however long the one before takes.
TEST(Network, ShortAccessesWaitForLongOnes) {
  Demands streams = kernel(1, 0, 60), scatters = kernel(1, 0, 60);
  streams.cycles[port] = .1;
  streams.accesses = .1;
  scatters.cycles[port] = 30;
  scatters.accesses = .1;
  const PairIpc together = network_ipc(streams, 8, scatters, 8);
  EXPECT_LT(together.first, network_ipc(streams, 8) * .3) << "it waits for some of 8 accesses of 300 cycles";
  scatters.accesses = 3;  // of 10 cycles each
  EXPECT_GT(network_ipc(streams, 8, scatters, 8).first, together.first * 2);
}

// Both use memory: together they are slower than one after the other.
TEST(Network, TwoKernelsCloseRowsForEachOther) {
  const Demands a = kernel(1, 3, 60), b = kernel(1, 4, 80);
  const double of_a = network_ipc(a, 48), of_b = network_ipc(b, 48);
  const double kept = coscheduling_profit(network_ipc(a, 24, b, 24, 0), of_a, of_b);
  const double closed = coscheduling_profit(network_ipc(a, 24, b, 24), of_a, of_b);
  EXPECT_NEAR(kept, 0, .03);
  EXPECT_LT(closed, -.05);
  EXPECT_GT(closed, -row_conflicts);
}

TEST(Network, FittedToMeasurements) {
  const Demands true_one = [] {
    Demands made = kernel(1, 2.4, 30);
    made.cycles[shared] = .3;
    return made;
  }();
  const auto measured = [&](double warps) { return Measured{warps, network_ipc(true_one, warps)}; };
  Demands counted = true_one;
  counted.cycles[dram] = 1;  // by its bandwidth
  counted.away = {};
  const Demands found = fitted(counted, {measured(8), measured(20), measured(48)});
  EXPECT_NEAR(found.cycles[dram], 2.4, .1);
  EXPECT_NEAR(found.away.at(8), 30, 3);
}

// Memory does not explain it: the warps are away for longer the more of them there are, or for less long.
TEST(Network, CyclesAwayMayDependOnTheNumberOfWarps) {
  for (const double last : {.5, .9}) {
    const Demands found = fitted(kernel(.5, .01, 0), {Measured{8, .2}, Measured{16, .35}, Measured{48, last}});
    EXPECT_NEAR(found.cycles[dram], .01, 1e-12);
    EXPECT_NEAR(network_ipc(found, 8), .2, .01);
    EXPECT_NEAR(network_ipc(found, 16), .35, .01);
    EXPECT_NEAR(network_ipc(found, 48), last, .02);
    EXPECT_GT(network_ipc(found, 32), .35);
    EXPECT_LT(network_ipc(found, 32), last);
  }
}

// The unit that limits it hides how long the warps are away.
TEST(Network, ABusyStationSaysNothingOfTheCyclesAway) {
  const Demands found = fitted(kernel(1, 0, 0), {Measured{4, .25}, Measured{16, .8}, Measured{48, 1.02}});
  EXPECT_NEAR(network_ipc(found, 4), .25, .01);
  EXPECT_NEAR(found.away.at(48), found.away.at(16), 1e-12);
  EXPECT_GT(found.away.at(48), 10);
}

TEST(Network, CyclesAwayBetweenAndBeyondTheMeasurements) {
  const Away away{{8, 8, 24}, {100, 100, 20}};
  EXPECT_EQ(away.at(1), 100);
  EXPECT_EQ(away.at(8), 100);
  EXPECT_EQ(away.at(16), 60);
  EXPECT_EQ(away.at(24), 20);
  EXPECT_EQ(away.at(48), 20);
  EXPECT_EQ((Away{{4, 4, 4}, {7, 7, 7}}).at(1), 7) << "one block fits on an SM";
  EXPECT_EQ(Away::always(3).at(99), 3);
}

TEST(Network, WithoutDemandsNothingIsKnown) {
  EXPECT_FALSE(Demands{}.known());
  EXPECT_TRUE(kernel(1, 0, 0).known());
  EXPECT_DOUBLE_EQ(kernel(1, .5, 7).all(), 1.5);
}

}  // namespace
}  // namespace heddle::model
