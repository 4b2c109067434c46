// The golden values are those of the model with a constant latency, in double precision.
#include "model/corun/corun.hpp"

#include <gtest/gtest.h>

#include <string>

namespace heddle::model {
namespace {

constexpr double near = 1e-6;

SmModel constant(double latency) { return {.latency = {.base = latency, .uncoalesced_base = latency}}; }
KernelProfile ratio(double memory_ratio) { return {.memory_ratio = memory_ratio}; }

struct Single {
  unsigned warps;
  double memory_ratio, latency, ipc;
};

TEST(SoloIpc, GoldenValues) {
  for (const Single& row : {Single{1, .1, 100, .090909}, Single{4, .1, 100, .353406}, Single{8, .05, 100, .931132},
                            Single{8, .1, 100, .662599}, Single{16, .1, 100, .979453}, Single{48, .1, 400, .971783},
                            Single{48, .3, 400, .394802}, Single{16, .02, 600, .940042}, Single{16, .05, 600, .502988},
                            Single{16, .1, 600, .260961}, Single{16, .2, 600, .132081}, Single{16, .3, 600, .088355}})
    EXPECT_NEAR(solo_ipc(constant(row.latency), ratio(row.memory_ratio), row.warps), row.ipc, near)
        << row.warps << " warps, " << row.memory_ratio << ", " << row.latency;
}

TEST(SoloIpc, OneWarpInClosedForm) {
  for (const double memory_ratio : {.01, .1, .5, 1.0})
    for (const double latency : {1.0, 40.0, 700.0})
      EXPECT_NEAR(solo_ipc(constant(latency), ratio(memory_ratio), 1), 1 / (1 + memory_ratio * latency), 1e-12);
}

TEST(SoloIpc, RequestsQueueForTheBandwidth) {
  const SmModel sm{.latency = {.base = 100, .per_request = 2}};
  EXPECT_NEAR(solo_ipc(sm, ratio(.1), 16), .925354, near);
}

TEST(SoloIpc, WithoutMemoryEveryCycleIssues) {
  EXPECT_DOUBLE_EQ(solo_ipc(constant(400), ratio(0), 8), 1);
  EXPECT_EQ(solo_ipc(constant(400), ratio(.1), 0), 0);
}

TEST(SoloIpc, UncoalescedAccessesSlowDown) {
  const SmModel sm{.latency = {.base = 400, .per_request = .5, .uncoalesced_base = 400}};
  const double plain = solo_ipc(sm, ratio(.1), 16);
  const double some = solo_ipc(sm, {.memory_ratio = .1, .uncoalesced = .2}, 16);
  const double all = solo_ipc(sm, {.memory_ratio = .1, .uncoalesced = 1}, 16);
  EXPECT_GT(plain, some * 1.1);
  EXPECT_GT(some, all * 1.1);
  // With one request for each access, the kinds do not differ.
  EXPECT_NEAR(solo_ipc(sm, {.memory_ratio = .1, .uncoalesced = .2, .uncoalesced_requests = 1}, 16), plain, 1e-10);
}

TEST(SoloIpc, SchedulersAreSmsOfTheirOwn) {
  // Without that, four schedulers would issue one instruction a cycle.
  const SmModel one = constant(400);
  SmModel four = one;
  four.schedulers = 4;
  EXPECT_NEAR(solo_ipc(four, ratio(.05), 64), 4 * solo_ipc(one, ratio(.05), 16), 1e-12);
  EXPECT_GT(solo_ipc(four, ratio(.05), 64), 1.5);
}

TEST(SoloIpc, BlocksAsUnitUnderestimate) {
  SmModel blocks = constant(400);
  blocks.unit = 6;
  EXPECT_NEAR(solo_ipc(blocks, ratio(.1), 48), .842, .005);
  EXPECT_NEAR(solo_ipc(constant(400), ratio(.1), 48), .971783, near);
}

struct Pair {
  unsigned warps;  // of each
  double first, second, latency, first_ipc, second_ipc, profit;
};

TEST(PairIpcs, GoldenValues) {
  for (const Pair& row :
       {Pair{4, .02, .3, 100, .819552, .119038, .222071}, Pair{8, .02, .3, 100, .794154, .205730, .168487},
        Pair{8, .05, .3, 100, .760709, .221098, .166475}}) {
    const SmModel sm = constant(row.latency);
    const PairIpc ipc = pair_ipc(sm, ratio(row.first), row.warps, ratio(row.second), row.warps);
    EXPECT_NEAR(ipc.first, row.first_ipc, near);
    EXPECT_NEAR(ipc.second, row.second_ipc, near);
    const double profit = coscheduling_profit(ipc, solo_ipc(sm, ratio(row.first), 2 * row.warps),
                                              solo_ipc(sm, ratio(row.second), 2 * row.warps));
    EXPECT_NEAR(profit, row.profit, near);
  }
  const SmModel sm = constant(100);
  EXPECT_NEAR(solo_ipc(sm, ratio(.02), 8), .999188, near);
  EXPECT_NEAR(solo_ipc(sm, ratio(.3), 8), .255861, near);
  EXPECT_NEAR(solo_ipc(sm, ratio(.3), 16), .503656, near);
}

TEST(PairIpcs, AKernelWithItselfGainsNothing) {
  const SmModel sm = constant(100);
  const PairIpc ipc = pair_ipc(sm, ratio(.1), 4, ratio(.1), 4);
  const double alone = solo_ipc(sm, ratio(.1), 8);
  EXPECT_NEAR(ipc.first, .331299, near);
  EXPECT_NEAR(ipc.sum(), alone, 1e-13);
  EXPECT_NEAR(coscheduling_profit(ipc, alone, alone), 0, 1e-13);
}

TEST(PairIpcs, TheOrderDoesNotMatter) {
  const SmModel sm{.latency = {.base = 300, .per_request = 1.5, .uncoalesced_base = 350}};
  const KernelProfile a{.memory_ratio = .03, .uncoalesced = .5}, b{.memory_ratio = .2};
  const PairIpc ab = pair_ipc(sm, a, 4, b, 7), ba = pair_ipc(sm, b, 7, a, 4);
  EXPECT_NEAR(ab.first, ba.second, 1e-12);
  EXPECT_NEAR(ab.second, ba.first, 1e-12);
}

TEST(PairIpcs, ManyStatesAreTakenTogether) {
  SmModel sm{.latency = {.base = 400, .per_request = .1, .uncoalesced_base = 400}};
  const KernelProfile a{.memory_ratio = .05, .uncoalesced = .1}, b{.memory_ratio = .2, .uncoalesced = .3};
  const PairIpc exact = pair_ipc(sm, a, 4, b, 4);
  sm.most_states = 100;
  const PairIpc together = pair_ipc(sm, a, 4, b, 4);
  EXPECT_NEAR(together.first, exact.first, .02);
  EXPECT_NEAR(together.second, exact.second, .02);
  EXPECT_NE(together.first, exact.first);
}

}  // namespace
}  // namespace heddle::model
