// The parts of LithOS's policy, as functions of numbers.
#include <gtest/gtest.h>

#include <random>

#include "heddle/error.hpp"
#include "sched/policy/lithos/atoms.hpp"
#include "sched/policy/lithos/frequency.hpp"
#include "sched/policy/lithos/lithos.hpp"
#include "sched/policy/lithos/predictor.hpp"
#include "sched/policy/lithos/runs.hpp"
#include "sched/policy/lithos/scaling.hpp"
#include "sched/policy/lithos/timers.hpp"

namespace heddle::sched::lithos {
namespace {

// L20: the table of the digest of section 4.4.
TEST(Scaling, LeastUnitsWithinTheSlip) {
  struct Row {
    unsigned all;
    double one, most, m, b;
    unsigned least;
  };
  for (const Row& row : {Row{54, 54, 1, 54, 0, 50}, Row{54, 10, 1, 9.1698, 0.8302, 34},
                         Row{54, 2, 1, 1.0189, 0.9811, 9}, Row{54, 1, 1, 0, 1, 1}, Row{66, 66, 1, 66, 0, 60},
                         Row{66, 10, 1, 9.1385, 0.8615, 39}, Row{66, 2, 1, 1.0154, 0.9846, 9}}) {
    const Scaling line = Scaling::through(row.one, row.most, row.all);
    EXPECT_NEAR(line.m, row.m, 1e-4);
    EXPECT_NEAR(line.b, row.b, 1e-4);
    EXPECT_EQ(line.least(row.all, 1.1), row.least) << row.all << " " << row.one;
  }
  EXPECT_EQ(Scaling::through(200, 1, 66).b, 0) << "more than linear";
}

// Waves of 66 times 8 blocks.
TEST(Scaling, FewerUnitsOfAsManyWavesCostNothing) {
  EXPECT_EQ(least_units(528, 8, 66, 1.1, std::nullopt), 66U) << "one full wave";
  EXPECT_EQ(least_units(529, 8, 66, 1.1, std::nullopt), 34U) << "two waves of 34 units";
  EXPECT_EQ(least_units(80, 8, 66, 1.1, std::nullopt), 10U);
  EXPECT_EQ(least_units(1, 8, 66, 1.1, std::nullopt), 1U);
  EXPECT_EQ(least_units(529, 8, 66, 1.1, Scaling{66, 0}), 34U) << "three waves take half as long again";
  EXPECT_EQ(least_units(5280, 8, 66, 1.1, Scaling{66, 0}), 60U) << "11 waves instead of 10";
  EXPECT_EQ(least_units(5280, 8, 66, 1.1, Scaling{66, 1}), 55U) << "12: half of the time are waves";
  EXPECT_EQ(least_units(5280, 8, 66, 1.1, Scaling{0, 1}), 1U);
  EXPECT_EQ(least_units(5280, 8, 66, 1.0, Scaling{66, 0}), 66U);
}

// H4: two probes, against the least of a sweep over all units.
TEST(Scaling, TwoProbesFindTheLeast) {
  std::mt19937 random(3);
  int near = 0;
  for (int i = 0; i < 20; ++i) {
    const double m = 1 + static_cast<double>(random() % 1000) / 10, b = static_cast<double>(random() % 100) / 50;
    const auto waves = [&](unsigned t) { return m / t + b * (1 + 0.002 * static_cast<double>(t % 3)); };
    const unsigned chosen = Scaling::through(waves(1), waves(66), 66).least(66, 1.1);
    unsigned truth = 1;
    while (truth < 66 && waves(truth) > 1.1 * waves(66)) ++truth;
    near += chosen + 2 >= truth && chosen <= truth + 2 ? 1 : 0;
  }
  EXPECT_GE(near, 18);
}

Quotas quotas_of(double first, double second, unsigned units) {
  static Tenant a, b;
  a.settings.quota = first;
  b.settings.quota = second;
  const std::vector<const Tenant*> tenants = {&a, &b};
  Quotas quotas;
  quotas.assign(tenants, units);
  return quotas;
}

TEST(Runs, BeginAtMultiplesAndWhereAnOwnerDoes) {
  EXPECT_EQ(borders_of(quotas_of(0.75, 0.25, 66), 8),
            (std::vector<unsigned>{0, 8, 16, 24, 32, 40, 48, 50, 56, 64, 66}));
  EXPECT_EQ(borders_of(quotas_of(0, 0, 4), 8), (std::vector<unsigned>{0, 4}));
}

TEST(Runs, TheLongestIsFound) {
  const std::vector<unsigned> borders = {0, 8, 16, 24, 30};
  EXPECT_EQ(longest_run(run_between(0, 30), borders), run_between(0, 30));
  EXPECT_EQ(longest_run(run_between(0, 30) & ~run_between(9, 10), borders), run_between(16, 30));
  EXPECT_EQ(longest_run(run_between(0, 17), borders), run_between(0, 16));
  EXPECT_EQ(longest_run(run_between(1, 16) | run_between(20, 24), borders), run_between(8, 16));
  EXPECT_TRUE(longest_run(run_between(1, 7), borders).none());
  EXPECT_TRUE(longest_run(UnitSet(), borders).none());
}

TEST(Runs, TheOneThatIsFreeFirstIsTaken) {
  const std::vector<unsigned> borders = {0, 8, 16, 24, 30};
  const auto busy = [](unsigned unit) { return unit < 8 ? 100 : unit < 16 ? 50 : 70; };
  EXPECT_EQ(first_free_run(run_between(0, 30), borders, 5, busy), run_between(24, 30)) << "as few as can be";
  EXPECT_EQ(first_free_run(run_between(0, 30), borders, 7, busy), run_between(8, 16));
  EXPECT_EQ(first_free_run(run_between(0, 30), borders, 16, busy), run_between(8, 24)) << "not the 14 of the end";
  EXPECT_EQ(first_free_run(run_between(0, 8), borders, 7, busy), run_between(0, 8)) << "of the set only";
  EXPECT_EQ(first_free_run(run_between(3, 8), borders, 4, busy), run_between(3, 8)) << "no run fits";
}

// L12
TEST(Atoms, AsManyAsTheTimeSays) {
  for (const auto& [seconds, count] : std::vector<std::pair<double, std::uint64_t>>{
           {10e-6, 1}, {300e-6, 1}, {301e-6, 2}, {1e-3, 4}, {4e-3, 14}, {30e-3, 100}})
    EXPECT_EQ(atom_count({.left_seconds = seconds, .left = 100'000}), count) << seconds;
  EXPECT_EQ(atom_count({.left_seconds = 30e-3, .left = 5}), 5u) << "a block at least";
  EXPECT_EQ(atom_count({.left_seconds = 4e-3, .fixed_seconds = 100e-6, .most_overhead = 0.1, .left = 1000}), 5u);
}

// L13
TEST(Atoms, EndAtClustersAndWaves) {
  for (const std::uint64_t cluster : {2u, 4u, 8u})
    for (double seconds : {1e-3, 7e-3, 30e-3})
      EXPECT_EQ(atom_blocks({.left_seconds = seconds, .left = 4096, .multiple = cluster}) % cluster, 0u);
  EXPECT_EQ(atom_blocks({.left_seconds = 4e-3, .left = 9000, .wave = 264}), 528u);
  EXPECT_EQ(atom_blocks({.left_seconds = 4e-3, .left = 300, .wave = 264}), 264u) << "a wave at least";
  EXPECT_EQ(atom_blocks({.left_seconds = 1e-4, .left = 9000, .wave = 264}), 9000u);
}

LaunchKey launch(std::uint64_t task, std::uint64_t ordinal, std::uint64_t signature = 1) {
  return {.queue = 0, .task = task, .ordinal = ordinal, .signature = signature, .of_blocks = 100};
}

// L17: one function with five shapes.
TEST(Predictor, KnowsLaunchesByTheirOrdinal) {
  const double seconds[] = {10e-6, 500e-6, 50e-6, 2e-3, 120e-6};
  Predictor by_ordinal, by_name;
  std::uint64_t task = 0;
  double worst = 0, worst_by_name = 0;
  for (int batch = 0; batch < 8; ++batch)
    for (std::uint64_t k = 0; k < 5; ++k) {
      ++task;
      const Condition all{66, 100};
      const double predicted = by_ordinal.predict(launch(task, k), all).seconds;
      const double named = by_name.predict(launch(task, 0), all).seconds;
      if (batch >= 3) {
        worst = std::max(worst, std::abs(predicted / seconds[k] - 1));
        worst_by_name = std::max(worst_by_name, std::abs(named / seconds[k] - 1));
      }
      by_ordinal.record(launch(task, k), all, seconds[k]);
      by_name.record(launch(task, 0), all, seconds[k]);
    }
  EXPECT_LT(worst, 0.05);
  EXPECT_GT(worst_by_name, 0.5);
}

// L18
TEST(Predictor, ScalesLinearlyWhereItKnowsOneCondition) {
  Predictor predictor(1410);
  EXPECT_EQ(predictor.predict(launch(1, 0), {66, 100}).source, Estimate::Source::unknown);
  predictor.record(launch(1, 0), {66, 100}, 1e-3);
  const Estimate half = predictor.predict(launch(2, 0), {33, 100});
  EXPECT_EQ(half.source, Estimate::Source::linear);
  EXPECT_NEAR(half.seconds, 2e-3, 1e-9);
  EXPECT_NEAR(predictor.predict(launch(2, 0), {66, 25}).seconds, 0.25e-3, 1e-9);
  EXPECT_NEAR(predictor.predict(launch(2, 0), {66, 100, 705}).seconds, 2e-3, 1e-9);
  predictor.record(launch(2, 0), {33, 100}, 1.8e-3);
  const Estimate model = predictor.predict(launch(3, 0), {11, 100});
  EXPECT_EQ(model.source, Estimate::Source::model);
  EXPECT_NEAR(model.seconds, 0.2e-3 + 52.8e-3 / 11, 1e-6);
}

// Once the units are chosen, all samples are of these, and differ by chance.
TEST(Predictor, RemembersTheProbeAmongManySamples) {
  std::minstd_rand random(1);
  const auto seconds = [&](unsigned units) {
    return (0.3e-3 + 46e-3 / units) * (0.95 + 0.1 * (random() % 1000) / 1000.0);
  };
  Predictor predictor;
  std::uint64_t task = 0;
  for (const unsigned units : {66u, 66u, 33u}) predictor.record(launch(++task, 0), {units, 100}, seconds(units));
  for (int i = 0; i < 400; ++i) {
    const unsigned units = predictor.scaling(launch(task + 1, 0))->least(66, 1.1);
    ASSERT_GE(units, 54u) << "after " << i;
    ASSERT_LE(units, 61u) << "after " << i;
    predictor.record(launch(++task, 0), {units, 100}, seconds(units));
  }
}

// A queue of its own for each request: what others have launched is known.
TEST(Predictor, NewQueuesKnowTheKernelsOfOthers) {
  Predictor predictor;
  for (std::uint32_t queue = 0; queue < 5000; ++queue) {
    LaunchKey key = launch(1, 0);
    key.queue = queue;
    EXPECT_NEAR(predictor.predict(key, {66, 100}).seconds, queue > 0 ? 1e-3 : 0, 1e-9);
    predictor.record(key, {66, 100}, 1e-3);
  }
}

TEST(Predictor, HighIsTheLongestOfTheLast) {
  Predictor predictor;
  for (std::uint64_t task = 1; task <= 20; ++task)
    predictor.record(launch(task, 0), {66, 100}, task == 15 ? 3e-3 : 1e-3);
  const Estimate estimate = predictor.predict(launch(21, 0), {66, 100});
  EXPECT_NEAR(estimate.high, 3e-3, 1e-6);
  EXPECT_LT(estimate.seconds, 2e-3);
}

// H5: a layer of four kernels is left out at random; it finds its place again in the same batch.
TEST(Predictor, FindsItsPlaceAgain) {
  std::mt19937 random(5);
  Predictor predictor;
  std::uint64_t task = 0, wrong = 0, seen = 0;
  for (int batch = 0; batch < 200; ++batch) {
    const bool skips = random() % 3 == 0;
    std::uint64_t ordinal = 0;
    for (std::uint64_t k = 0; k < 30; ++k) {
      if (skips && k >= 10 && k < 14) continue;
      // Signatures repeat every seven kernels, times do not.
      const LaunchKey key = launch(++task, ordinal++, 100 + k % 7);
      const double seconds = 1e-5 * static_cast<double>(k + 1);
      if (batch >= 20) {
        ++seen;
        wrong += std::abs(predictor.predict(key, {66, 100}).seconds / seconds - 1) > 0.05 ? 1 : 0;
      }
      predictor.record(key, {66, 100}, seconds);
    }
  }
  EXPECT_LT(static_cast<double>(wrong), 0.02 * static_cast<double>(seen));
  EXPECT_GT(predictor.resyncs(), 10u);
}

// L10: the timers are a function of what is in flight.
TEST(Timers, FollowSubmissionsAndCompletions) {
  const std::vector<unsigned> low = {0, 1, 2, 3}, none;
  std::vector<RangeView> in_flight = {
      {.queue = 1, .processors = &low, .submitted_ns = 1000, .predicted_seconds = 10e-6},
      {.queue = 1, .processors = &low, .priority = -1, .submitted_ns = 2000, .predicted_seconds = 5e-6},
      {.queue = 2, .processors = &none, .submitted_ns = 3000}};
  const Timers timers(in_flight, 0, 4, 2, 5000, 100'000);
  EXPECT_EQ(timers.backlog(1).end_ns, 16'000u) << "one after the other";
  EXPECT_EQ(timers.backlog(1).ranges, 2u);
  EXPECT_EQ(timers.backlog(1).stolen, 1u);
  EXPECT_EQ(timers.backlog(2).unknown, 1u);
  EXPECT_EQ(timers.backlog(3).ranges, 0u);
  EXPECT_EQ(timers.busy_until(3), 103'000u) << "only the range on all units";
  EXPECT_EQ(timers.busy_until(0), 16'000u + 98'000u);
  EXPECT_EQ(timers.latency_until(0), 11'000u + 98'000u) << "without the stolen range";
  in_flight.erase(in_flight.begin(), in_flight.begin() + 2);
  EXPECT_EQ(Timers(in_flight, 0, 4, 2, 5000, 100'000).busy_until(0), 103'000u);
  const Timers late(in_flight, 0, 4, 2, 900'000, 100'000);
  EXPECT_GT(late.busy_until(0), 900'000u) << "what is overdue is busy";
}

// Nothing reports the end of an untimed range: it must not keep others of its queue from being stolen for ever.
TEST(Timers, UntimedRangesAreNoLongerStolenWhenTheirTimeIsOver) {
  const std::vector<unsigned> low = {0, 1, 2, 3};
  std::vector<RangeView> in_flight(2, {.queue = 1,
                                       .processors = &low,
                                       .priority = -1,
                                       .submitted_ns = 1000,
                                       .predicted_seconds = 5e-6,
                                       .timed = false});
  const auto stolen = [&](std::uint64_t now_ns) {
    return Timers(in_flight, 0, 4, 2, now_ns, 100'000).backlog(1).stolen;
  };
  EXPECT_EQ(stolen(2000), 2u);
  EXPECT_EQ(stolen(6000), 1u);
  EXPECT_EQ(stolen(11'000), 0u);
  for (RangeView& range : in_flight) range.timed = true;
  EXPECT_EQ(stolen(900'000), 2u) << "their ends are reported";
}

TEST(Quotas, AreContiguousUnits) {
  const Tenant a{.id = 0, .settings = {.name = "a", .quota = 0.75}}, b{.id = 1, .settings = {.name = "b"}},
      c{.id = 2, .settings = {.name = "c", .quota = 0.25}};
  const std::vector<const Tenant*> tenants = {&a, &b, &c};
  Quotas quotas;
  quotas.assign(tenants, 66);
  EXPECT_EQ(quotas.owned_by(0).count(), 50u);
  EXPECT_EQ(quotas.owned_by(1).count(), 0u);
  EXPECT_EQ(quotas.owned_by(2).count(), 16u);
  EXPECT_EQ(quotas.owner(49), 0);
  EXPECT_EQ(quotas.owner(50), 2);
  quotas.assign(tenants, 66, 9);  // seven GPCs of nine: 5 and 2
  EXPECT_EQ(quotas.owned_by(0).count(), 45u);
  EXPECT_EQ(quotas.owned_by(2).count(), 18u);
}

// L23: the values of section 4.5.
TEST(Frequency, KeepsToTheSlowdown) {
  EXPECT_NEAR(frequency_for(1, 0.1, 1410, 210), 1281.8, 0.05);
  EXPECT_NEAR(frequency_for(0.5, 0.1, 1410, 210), 1175.0, 0.05);
  EXPECT_NEAR(frequency_for(0.2, 0.1, 1410, 210), 940.0, 0.05);
  EXPECT_EQ(frequency_for(0, 0.1, 1410, 210), 210);
  EXPECT_NEAR(sensitivity(1.5, 1, 705, 1410), 0.5, 1e-9);
}

TEST(Options, AreReadOrRefused) {
  const Options options = parse_options("throttle=50,atom=250,atoms=off,steal=off,slip=1.2");
  EXPECT_DOUBLE_EQ(options.throttle_seconds, 50e-6);
  EXPECT_DOUBLE_EQ(options.atom_seconds, 250e-6);
  EXPECT_FALSE(options.atoms || options.steal);
  EXPECT_DOUBLE_EQ(options.slip, 1.2);
  for (const char* wrong :
       {"speed=1", "throttle", "throttle=0", "throttle=x", "atoms=maybe", "slip=0.5", "=", "throttle=50,"})
    EXPECT_THROW(parse_options(wrong), Error) << wrong;
}

}  // namespace
}  // namespace heddle::sched::lithos
