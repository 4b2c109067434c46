// Kernelet's policy on a clock that is moved by hand, with the dispatcher and without a device.
#include "sched/policy/kernelet.hpp"
#include "sched/corun_device.hpp"
#include "sched/policy/pair_trial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <random>
#include <set>

#include "heddle/error.hpp"
#include "sched/dispatcher.hpp"
#include "sched/fake_work.hpp"
#include "sched/make_policy.hpp"

namespace heddle::sched {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Task = std::shared_ptr<HeldTask>;

KernelTraits kernel(std::uint64_t id, double memory_ratio, double pipeline, double memory) {
  KernelTraits made;
  made.id = id;
  made.kernel.profile.memory_ratio = memory_ratio;
  made.kernel.needs = {.threads = 256, .registers = 20};
  made.kernel.block_instructions = 1000;
  made.kernel.pipeline_use = pipeline;
  made.kernel.memory_use = memory;
  return made;
}

// Rates that the test states, by ids: a profit and two numbers of blocks.
class Stated final : public PairRates {
 public:
  std::map<std::pair<std::uint64_t, std::uint64_t>, model::CoSchedule> pairs;
  unsigned asked = 0;
  std::optional<model::CoSchedule> best(const CoRunDevice&, const KernelTraits& first, const KernelTraits& second,
                                        model::PairOptions::Ratio) override {
    ++asked;
    const auto at = pairs.find({first.id, second.id});
    if (at != pairs.end()) return at->second;
    const auto other = pairs.find({second.id, first.id});
    if (other == pairs.end()) return std::nullopt;
    model::CoSchedule made = other->second;
    std::swap(made.first_blocks, made.second_blocks);
    return made;
  }
};

class KerneletTest : public testing::Test {
 protected:
  void start(KerneletOptions options = {.alone_ahead = 2}) {
    auto rates = std::make_unique<Stated>();
    stated = rates.get();
    stated->pairs[{1, 2}] = {0, 1, 2, 1, {}, .2, 0};
    stated->pairs[{1, 3}] = {0, 1, 1, 3, {}, .4, 0};
    stated->pairs[{2, 3}] = {0, 1, 1, 1, {}, -.1, 0};
    dispatcher = std::make_unique<Dispatcher>(
        std::make_unique<KerneletPolicy>(std::move(rates), options),
        std::vector<Dispatcher::Device>{{.processors = 2, .corun = &model}},
        [](std::size_t, const std::vector<unsigned>&) { return nullptr; }, mutex, watcher);
    queue = &dispatcher->add_queue("all", 0);
  }
  Task hold(FakeTask task) {
    const base::Lock lock(mutex);
    return dispatcher->hold_after(*queue, std::make_unique<FakeWork>(device, std::move(task)), {});
  }
  void complete(std::size_t index = 0) {
    clock->advance(1000);
    const auto ended = device.running[index];
    device.running.erase(device.running.begin() + static_cast<std::ptrdiff_t>(index));
    ended->complete(clock->now_ns());
  }
  std::vector<std::string> take_log() { return std::exchange(device.log, {}); }
  void TearDown() override {
    while (!device.running.empty()) complete();
    if (!dispatcher) return;
    const base::Lock lock(mutex);
    EXPECT_EQ(dispatcher->held(), 0u);
  }

  std::shared_ptr<base::ManualClock> clock = std::make_shared<base::ManualClock>();
  std::shared_ptr<base::Watcher> watcher = base::make_watcher(clock);
  base::Mutex mutex;
  const CoRunDevice model = fermi();
  const KernelTraits a = kernel(1, .02, .9, .0), b = kernel(2, .3, .2, .1), c = kernel(3, .2, .3, .2);
  FakeDevice device;
  Stated* stated = nullptr;
  std::unique_ptr<Dispatcher> dispatcher;
  LaunchQueue* queue = nullptr;
};

TEST_F(KerneletTest, AloneInSlicesUntilAnotherArrives) {
  start();
  hold({.name = "a", .blocks = 100, .corun = &a});  // 5 blocks fit on an SM, of 2 SMs, twice
  EXPECT_THAT(take_log(), ElementsAre("a[0,20)", "a[20,40)"));
  hold({.name = "b", .blocks = 10, .corun = &b});
  EXPECT_THAT(take_log(), ElementsAre("b[0,1)", "b[1,2)", "b[2,3)"))
      << "2 of a and 1 of b on each SM; a has blocks in flight";
  complete();
  EXPECT_THAT(take_log(), IsEmpty()) << "20 of a are in flight yet";
  complete();
  EXPECT_THAT(take_log(), ElementsAre("a[40,42)", "a[42,44)", "a[44,46)")) << "as many as run, and half of that";
}

// The kernel that ends leaves its partner's residual, which gets the next partner (algorithm 1).
TEST_F(KerneletTest, ResidualIsPairedAgain) {
  start();
  {
    const base::Lock lock(mutex);
    dispatcher->set_suspended(*queue, true);
  }
  hold({.name = "b", .blocks = 6, .corun = &b});
  hold({.name = "a", .blocks = 100, .corun = &a});
  hold({.name = "c", .blocks = 12, .corun = &c});
  {
    const base::Lock lock(mutex);
    dispatcher->set_suspended(*queue, false);
  }
  EXPECT_THAT(take_log(), ElementsAre("a[0,1)", "c[0,2)", "c[2,4)", "a[1,2)", "c[4,6)", "a[2,3)", "c[6,8)"))
      << "a with c gains most: 1 and 3 on each SM; a quarter as many wait";
  complete(1);
  EXPECT_THAT(take_log(), ElementsAre("c[8,10)"));
  complete(1);
  EXPECT_THAT(take_log(), ElementsAre("c[10,12)", "b[0,1)", "b[1,2)", "a[3,5)", "b[2,3)"))
      << "c has no more, and b is the next partner: with the residual of a, of which 2 blocks are on each SM now";
  complete();
  EXPECT_THAT(take_log(), ElementsAre("a[5,7)"));
}

TEST_F(KerneletTest, AnArrivalEndsAPairOnlyIfAsked) {
  for (const bool on_arrival : {true, false}) {
    start({.recompute_on_arrival = on_arrival, .alone_ahead = 2});
    hold({.name = "a", .blocks = 100, .corun = &a});
    hold({.name = "b", .blocks = 100, .corun = &b});
    take_log();
    hold({.name = "c", .blocks = 100, .corun = &c});
    complete();
    complete();
    const auto log = take_log();
    const bool c_ran = std::any_of(log.begin(), log.end(), [](const std::string& text) { return text[0] == 'c'; });
    EXPECT_EQ(c_ran, on_arrival);
    while (!device.running.empty()) complete();
    take_log();
  }
}

// As streams would run them: where the model sees no gain, Kernelet must not be slower than they are.
TEST_F(KerneletTest, WithoutGainLaunchesRunWholeInTheirOrder) {
  start({.whole = 3});
  {
    const base::Lock lock(mutex);
    dispatcher->set_suspended(*queue, true);
  }
  for (const char* const name : {"b1", "c1", "b2", "c2"})
    hold({.name = name, .blocks = 30, .corun = name[0] == 'b' ? &b : &c});
  {
    const base::Lock lock(mutex);
    dispatcher->set_suspended(*queue, false);
  }
  EXPECT_THAT(take_log(), ElementsAre("b1[0,30)", "c1[0,30)", "b2[0,30)", "c2[0,20)"))
      << "b with c would lose; the last kind of kernel goes on in slices";
}

TEST_F(KerneletTest, PairsOfLittleProfitDoNotRunTogether) {
  start({.least_profit = .25, .whole = 2});
  hold({.name = "a", .blocks = 100, .corun = &a});
  hold({.name = "b", .blocks = 10, .corun = &b});
  while (!device.running.empty()) complete();
  EXPECT_THAT(take_log(), testing::Contains("b[0,10)")) << "20 % are forecast, and 25 % are asked for";
}

// Both wait for the same time: of the one with the shorter blocks more slices are in flight.
TEST(SlicePlan, BlocksThatWaitAreThoseThatEndInTheTimeOfALaunch) {
  CoRunDevice device = fermi();
  device.launch_cycles = 5000;
  KernelTraits quick = kernel(1, .02, .9, 0), slow = kernel(2, .3, .2, .1);
  quick.alone_ipc = .9;
  slow.alone_ipc = .1;
  // 3 blocks of 1000 instructions at 0.5 stay for 6000 cycles, at 0.05 for 60,000.
  const SlicePlan of_quick = plan_slices(device, 2, quick, 3, .5), of_slow = plan_slices(device, 2, slow, 3, .05);
  EXPECT_EQ(of_quick.blocks, 2u);
  EXPECT_EQ(of_quick.resident, 6u);
  EXPECT_EQ(of_quick.ahead, 7u) << "3 on each SM, and 3 * 1.5 * 5000 / 6000 that wait";
  EXPECT_EQ(of_slow.ahead, 4u) << "a quarter as many as run, at least";
  EXPECT_DOUBLE_EQ(of_quick.filled(6), 1);
  EXPECT_TRUE(of_quick.takes(12));
  EXPECT_FALSE(of_quick.takes(13));
  quick.kernel.least_blocks = 2;
  EXPECT_EQ(plan_slices(device, 2, quick, 3, .5).blocks, 4u) << "the smallest slice";
  EXPECT_EQ(plan_slices(device, 2, quick, 1, .5).blocks, 2u) << "but no more than are on the device";
  // One block on each of many SMs: slices of fewer blocks than there are SMs, so that no second one finds room.
  const SlicePlan thin = plan_slices(device, 14, slow, 1, .05);
  EXPECT_EQ(thin.blocks, 5u);
  EXPECT_LT(thin.ahead * thin.blocks, 2 * thin.resident);
}

// Where the host's time counts, a slice is a queue's part of the blocks, and more slices are in flight.
TEST(SlicePlan, QueuesOfSlices) {
  CoRunDevice device = fermi();
  device.launch_cycles = 15000;
  device.slice_cycles = 1000;
  device.lanes = 2;
  KernelTraits quick = kernel(1, .02, .9, 0);
  quick.alone_ipc = .9;
  // 3 blocks of 1000 instructions at 0.5 stay for 6000 cycles.
  const SlicePlan plan = plan_slices(device, 14, quick, 3, .5);
  EXPECT_EQ(plan.resident, 42u);
  EXPECT_EQ(plan.blocks, 21u);
  EXPECT_EQ(plan.refill, 12u) << "2 queues * (1 + 2 * 15000 / 6000)";
  EXPECT_EQ(plan.ahead, 12u + 12 - 1) << "hardly ever fewer than those in flight";
  EXPECT_TRUE(plan.is_low(11 * 21));
  EXPECT_FALSE(plan.is_low(12 * 21));
  EXPECT_TRUE(plan.takes(22 * 21));
  EXPECT_FALSE(plan.takes(23 * 21));
  model::CoSchedule pair;
  pair.first_blocks = pair.second_blocks = 3;
  pair.together = {.5, .5};
  pair.profit = .3;
  // Of each kernel, 0.5 * 14 / 1000 blocks end in a cycle: together a slice in 1500 cycles.
  EXPECT_DOUBLE_EQ(profit_with_launches(device, 14, quick, quick, pair), .3);
  device.slice_cycles = 2100;
  EXPECT_NEAR(profit_with_launches(device, 14, quick, quick, pair), 1 - .7 * 2, 1e-9) << "the host takes twice as long";
}

TEST(PairTrial, SaysWhatIsSaved) {
  // Alone, 100 and 10 blocks end in a microsecond.
  PairTrial trial({50, 0}, {1000, 100}, {.1, .01});
  std::uint64_t now = 0;
  PairTrial::Blocks ended{};
  const auto pass = [&](std::uint64_t microseconds, double first, double second) {
    now += microseconds * 1000;
    const auto add = [&](std::size_t i, double blocks) {
      trial.issue(i, static_cast<std::uint64_t>(blocks));
      ended[i] += static_cast<std::uint64_t>(blocks);
    };
    add(0, 100 * first * static_cast<double>(microseconds));
    add(1, 10 * second * static_cast<double>(microseconds));
    return trial.profit(now, {50, 0});  // as many are in flight as at the beginning
  };
  EXPECT_FALSE(pass(5, 1, 0)) << "less than a round of each";
  EXPECT_FALSE(pass(100, .6, .65)) << "the measurement begins";
  EXPECT_FALSE(pass(3000, .6, .65)) << "it is too short";
  const auto profit = pass(2000, .6, .65);
  ASSERT_TRUE(profit);
  EXPECT_NEAR(*profit, 1 - 1 / 1.25, 1e-9);
  EXPECT_FALSE(pass(9000, .6, .65)) << "once";
}

TEST_F(KerneletTest, WhatCannotBeSlicedRunsWholeInItsTurn) {
  start({.whole = 2});
  hold({.name = "x", .blocks = 1000});
  hold({.name = "y", .blocks = 1000, .divisible = false, .corun = &a});
  hold({.name = "z", .blocks = 1000});
  EXPECT_THAT(take_log(), ElementsAre("x[0,1000)", "y[0,1000)"));
  complete();
  EXPECT_THAT(take_log(), ElementsAre("z[0,1000)"));
}

// Any arrivals, any order of ends: blocks once each, in order, and never an idle device with work.
TEST_F(KerneletTest, EveryBlockOnceAndNeverIdle) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    start();
    std::map<std::string, std::uint64_t> blocks;
    int made = 0;
    const auto arrive = [&] {
      const KernelTraits* const kinds[] = {&a, &b, &c, nullptr};
      const std::string name = "k" + std::to_string(made++);
      blocks[name] = 1 + random() % 60;
      hold({.name = name, .blocks = blocks[name], .corun = kinds[random() % 4]});
    };
    arrive();
    while (made < 30 || !device.running.empty()) {
      if (made < 30 && random() % 3 == 0) arrive();
      {
        const base::Lock lock(mutex);
        ASSERT_TRUE(dispatcher->held() == 0 || !device.running.empty()) << "idle with work pending";
      }
      if (!device.running.empty()) complete(random() % device.running.size());
    }
    std::map<std::string, std::uint64_t> next;
    for (const std::string& entry : take_log()) {
      const std::string name = entry.substr(0, entry.find('['));
      const std::uint64_t begin = std::stoull(entry.substr(entry.find('[') + 1));
      ASSERT_EQ(begin, next[name]) << entry;
      next[name] = std::stoull(entry.substr(entry.find(',') + 1));
    }
    EXPECT_EQ(next, blocks);
  }
}

// Eight kernels: the pairs are solved once; from then on a decision looks them up.
TEST(KerneletDecision, TakesLessThanAMillisecond) {
  const CoRunDevice device = fermi();
  std::vector<KernelTraits> traits;
  for (std::uint64_t i = 0; i < 8; ++i)
    traits.push_back(kernel(i + 1, .01 + .04 * static_cast<double>(i), 1 - .1 * static_cast<double>(i),
                            .02 * static_cast<double>(i)));
  KerneletPolicy policy(std::make_unique<ModelRates>());
  QueueView queue{.id = 0, .name = "q"};
  std::vector<TaskView> tasks;
  for (std::uint64_t i = 0; i < 8; ++i)
    tasks.push_back({.id = i + 1,
                     .name = "k",
                     .queue = &queue,
                     .left = {0, 1000},
                     .blocks = 1000,
                     .divisible = true,
                     .corun = &traits[i]});
  const std::vector<DeviceView> devices{{.processors = 14, .corun = &device}};
  std::vector<Decision> decisions;
  policy.decide({0, tasks, devices}, decisions);
  EXPECT_FALSE(policy.explain().empty());
  ASSERT_GE(decisions.size(), 4u) << "two kernels, each with slices ahead";
  // Another set of the same kernels: nothing is in its cache but the pairs.
  double least = 1;
  for (std::size_t without = 0; without < 8; ++without) {
    std::vector<TaskView> some = tasks;
    some.erase(some.begin() + static_cast<std::ptrdiff_t>(without));
    decisions.clear();
    const auto begin = std::chrono::steady_clock::now();
    policy.decide({0, some, devices}, decisions);
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  EXPECT_LT(least, 1e-3);
}

TEST(PairRates, ModelIsTheSameInBothOrders) {
  const CoRunDevice device = fermi();
  const KernelTraits a = kernel(1, .02, .9, 0), b = kernel(2, .3, .2, .1);
  ModelRates rates;
  const auto ab = rates.best(device, a, b, model::PairOptions::Ratio::most_profit);
  const auto ba = rates.best(device, b, a, model::PairOptions::Ratio::most_profit);
  ASSERT_TRUE(ab && ba);
  EXPECT_EQ(ab->first_blocks, ba->second_blocks);
  EXPECT_EQ(ab->together.first, ba->together.second);
  EXPECT_EQ(ab->profit, ba->profit);
  EXPECT_GT(ab->profit, 0);
}

TEST(PairRates, CalibratedProfileGivesTheMeasuredIpc) {
  CoRunDevice device = fermi();
  device.sm.unit = 4;
  KernelTraits traits = kernel(1, .02, .9, 0);
  for (const double ipc : {.9, .5, .2}) {
    traits.alone_ipc = ipc;
    // 5 blocks of 8 warps fit.
    EXPECT_NEAR(model::solo_ipc(device.sm, calibrated(device, traits), 40), ipc, 1e-4);
  }
}

TEST(PairRates, MeasuredTakesTheBestOfItsTable) {
  const CoRunDevice device = fermi();
  KernelTraits a = kernel(1, .02, .9, 0), b = kernel(2, .3, .2, .1);
  a.alone_ipc = 1;
  b.alone_ipc = .2;
  MeasuredRates::Table table;
  table[{1, 2}] = {{5, 1, {.8, .05}}, {4, 2, {.8, .1}}, {2, 4, {.4, .12}}};
  MeasuredRates rates(table);
  const auto best = rates.best(device, b, a, model::PairOptions::Ratio::most_profit);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->first_blocks, 2u);
  EXPECT_EQ(best->second_blocks, 4u);
  EXPECT_NEAR(best->profit, 1 - 1 / 1.3, 1e-12);
}

TEST(PairRates, FullRatiosAreAllThatFit) {
  const CoRunDevice device = fermi();
  KernelTraits a = kernel(1, .02, .9, 0), b = kernel(2, .3, .2, .1);
  b.kernel.needs.threads = 128;
  std::set<std::pair<unsigned, unsigned>> brute;
  for (unsigned i = 1; i <= 8; ++i)
    for (unsigned j = 1; j <= 8; ++j) {
      const auto fits = [](unsigned x, unsigned y) {  // 20 registers of a thread, in warps of 640, padded to 768
        return x + y <= 8 && 256 * x + 128 * y <= 1536 && 768 * (8 * x + 4 * y) <= 32 * 1024;
      };
      if (fits(i, j) && !fits(i + 1, j) && !fits(i, j + 1)) brute.emplace(i, j);
    }
  const auto ratios = full_ratios(device.limits, a.kernel, b.kernel);
  EXPECT_EQ((std::set<std::pair<unsigned, unsigned>>(ratios.begin(), ratios.end())), brute);
}

TEST(KerneletPolicy, NamesAndVariants) {
  for (const char* const name : {"kernelet", "kernelet:balanced", "kernelet:on-finish", "kernelet:uncalibrated",
                                 "kernelet:chains", "kernelet:constant", "serial", "base", "base:2", "mc:7"})
    EXPECT_NE(make_policy(name), nullptr) << name;
  const auto message = [](std::string_view name) -> std::string {
    try {
      make_policy(name);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(message("kernelet:fast"), HasSubstr("there is no variant 'fast'"));
  EXPECT_THAT(message("opt"), HasSubstr("'heddle batch' measures them"));
}

}  // namespace
}  // namespace heddle::sched
