#include "tuning/auto_tuner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "heddle/error.hpp"
#include "tuning/cost_surface.hpp"

namespace heddle::tuning {
namespace {

Measure on(const CostSurface& surface) {
  return [surface](const knowledge::Configuration& configuration) { return surface.measure(configuration); };
}

TEST(AutoTuner, TwentySurfacesWithinThreePercentWithAQuarterOfTheEvaluations) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const CostSurface surface = random_surface(seed);
    const TunerResult oracle = tune_exhaustively(surface.space(), on(surface), 0.01);
    const TunerResult found = tune(surface.space(), on(surface));
    EXPECT_LE(found.seconds, 1.03 * oracle.seconds) << "surface " << seed;
    EXPECT_LE(4 * found.evaluations.size(), oracle.evaluations.size()) << "surface " << seed;
  }
}

TEST(AutoTuner, TheLiteralAlgorithmMissesBetterConfigurationsThatComeLater) {
  CostSurface surface;
  surface.transfer_seconds_per_element = 0;
  surface.gpu_seconds_per_element = 1e-9;
  surface.cpu_seconds_per_element = 2e-9;
  surface.fission_slowdown = {1.5, 1.2, 1, 1.2, 1.5};  // L3 is best, and the third to be tried
  const TunerResult fixed = tune(surface.space(), on(surface));
  EXPECT_EQ(fixed.configuration.fission, knowledge::Fission::l3);
  const TunerResult literal = tune(surface.space(), on(surface), {.literal = true, .precision = 1e-9});
  EXPECT_EQ(literal.configuration.fission, knowledge::Fission::l1);
  EXPECT_GT(literal.seconds, 1.03 * fixed.seconds);
}

TEST(AutoTuner, TheLiteralAlgorithmFollowsItsLines) {
  CostSurface surface;
  surface.transfer_seconds_per_element = 0;
  surface.gpu_seconds_per_element = 1e-9;
  surface.cpu_seconds_per_element = 4e-9;  // ideal share 0.8
  const TunerSpace space{{knowledge::Fission::l1, knowledge::Fission::l2}, {1, 2}, {{{256}, 1}, {{128}, 1}}};
  const TunerResult literal = tune(space, on(surface), {.literal = true, .precision = 1e-9});
  std::vector<double> shares;
  for (const Evaluation& evaluation : literal.evaluations) shares.push_back(evaluation.configuration.gpu_share);
  // The fifth candidate is the first that is no better: the split's search ends there. Each later configuration ends at
  // its first candidate, and ends its dimension.
  EXPECT_EQ(shares, (std::vector<double>{0.5, 0.75, 0.875, 0.8125, 0.78125, 0.5, 0.5, 0.5}));
  EXPECT_EQ(literal.configuration.gpu_share, 0.8125);
}

TEST(AutoTuner, EachConfigurationIsMeasuredAsOftenAsAskedAndTheShortestCounts) {
  int calls = 0;
  const TunerSpace space{{knowledge::Fission::none}, {1}, {{{}, 1}}};
  const TunerResult found =
      tune(space, [&](const auto&) { return Measured{++calls % 3 == 0 ? 1.0 : 2.0, 0.5}; }, {.executions = 3});
  EXPECT_EQ(found.evaluations.front().measured.seconds(), 1);
  // The last three are upper quartiles of five; a run that does not count precedes each of these.
  EXPECT_EQ(static_cast<std::size_t>(calls), 3 * (found.evaluations.size() - 3) + 3 * 5 * 2);
}

TEST(AutoTuner, FindsThatOneTypeAloneIsBest) {
  CostSurface surface;
  surface.cpu_seconds_per_element = 200 * surface.gpu_seconds_per_element;
  surface.cpu_overhead = surface.elements * surface.gpu_seconds_per_element;
  EXPECT_EQ(tune(surface.space(), on(surface)).configuration.gpu_share, 1);
}

// A program like N-body: the CPU would need minutes.
TEST(AutoTuner, ATypeThatIsMuchTooSlowIsNotMeasuredAlone) {
  CostSurface surface;
  surface.cpu_seconds_per_element = 1000 * surface.gpu_seconds_per_element;
  double sum = 0;
  const TunerResult found = tune(surface.space(), [&](const knowledge::Configuration& tried) {
    EXPECT_GT(tried.gpu_share, 0);
    const Measured measured = surface.measure(tried);
    sum += measured.seconds();
    return measured;
  });
  EXPECT_EQ(found.finalists.size(), 2U);
  EXPECT_GE(found.configuration.gpu_share, 0.98);
  EXPECT_LT(sum, 2 * surface.elements * surface.cpu_seconds_per_element);
}

// Splits take a third longer than the GPU alone. Of their many runs a few are shorter.
TEST(AutoTuner, ASplitThatWasLuckyDoesNotWin) {
  using knowledge::Configuration;
  const TunerSpace space{.fissions = {knowledge::Fission::none}, .overlaps = {1, 2}, .groups = {{}}};
  unsigned calls = 0;
  const TunerResult found = tune(space,
                                 [&](const Configuration& tried) {
                                   if (tried.gpu_share == 1) return Measured{1, 0};
                                   if (tried.gpu_share == 0) return Measured{0, 5};
                                   const double seconds = ++calls % 6 == 0 ? 0.8 : 1.3;
                                   return Measured{seconds, 0.9 * seconds};
                                 },
                                 {.executions = 2});
  EXPECT_EQ(found.configuration.gpu_share, 1);
  EXPECT_EQ(found.seconds, 1);
}

// The split is faster in most runs, but waits for a busy CPU in two of five: over many runs the GPU alone is faster.
TEST(AutoTuner, ASplitThatVariesMoreDoesNotWin) {
  using knowledge::Configuration;
  const TunerSpace space{.fissions = {knowledge::Fission::none}, .overlaps = {1}, .groups = {{}}};
  unsigned calls = 0;
  const TunerResult found = tune(space, [&](const Configuration& tried) {
    if (tried.gpu_share == 1) return Measured{1, 0};
    if (tried.gpu_share == 0) return Measured{0, 5};
    return Measured{0.9, ++calls / 2 % 5 < 2 ? 1.8 : 0.9};
  });
  EXPECT_EQ(found.configuration.gpu_share, 1);
}

// The best split was lucky when it was tried, and the second best is better than both types alone.
TEST(AutoTuner, TheSecondBestSplitIsMeasuredAgainToo) {
  const TunerSpace space{.fissions = {knowledge::Fission::none}, .overlaps = {1}, .groups = {{}}};
  unsigned calls = 0;
  const auto measure = [&](const knowledge::Configuration& tried) {
    if (tried.gpu_share == 1) return Measured{1, 0};
    if (tried.gpu_share == 0) return Measured{0, 5};
    if (tried.gpu_share == 0.75) return Measured{0.8, 0.7};
    if (tried.gpu_share != 0.5) return Measured{2, 1.9};
    return ++calls == 1 ? Measured{0.5, 0.6} : Measured{1.5, 1.6};
  };
  EXPECT_EQ(tune(space, measure).configuration.gpu_share, 1);
  calls = 0;
  const TunerResult found = tune(space, measure, {.final_splits = 3});
  EXPECT_EQ(found.configuration.gpu_share, 0.75);
  EXPECT_EQ(found.finalists.size(), 5U);
}

TEST(AutoTuner, ShortFinalistsAreMeasuredMoreOften) {
  const TunerSpace space{.fissions = {knowledge::Fission::none}, .overlaps = {1}, .groups = {{}}};
  const auto runs_of_one_type = [&](double seconds) {
    unsigned runs = 0;
    tune(space,
         [&](const knowledge::Configuration& tried) {
           runs += tried.gpu_share == 1;
           return Measured{seconds, seconds};
         },
         {.final_seconds = 0.25});
    return runs;
  };
  EXPECT_EQ(runs_of_one_type(1), 1 + 2 * 5U);
  EXPECT_EQ(runs_of_one_type(0.02), 1 + 2 * 13U);
  EXPECT_EQ(runs_of_one_type(1e-6), 1 + 2 * TunerOptions::most_final_executions);
}

// The machine becomes slower while the finalists are measured: in turns, it is slower for all.
TEST(AutoTuner, FinalistsMeetTheSameMachine) {
  const TunerSpace space{.fissions = {knowledge::Fission::none}, .overlaps = {1}, .groups = {{}}};
  double slower = 1;
  const TunerResult found = tune(space, [&](const knowledge::Configuration& tried) {
    slower *= 1.02;
    if (tried.gpu_share == 1) return Measured{1.0 * slower, 0};
    if (tried.gpu_share == 0) return Measured{0, 5 * slower};
    return Measured{1.2 * slower, 1.1 * slower};
  });
  EXPECT_EQ(found.configuration.gpu_share, 1);
  ASSERT_EQ(found.finalists.size(), 3U);
  EXPECT_EQ(found.winner, 1U);
}

TEST(AutoTuner, TheRunAsAWholeCounts) {
  const TunerSpace space{.fissions = {knowledge::Fission::none}, .overlaps = {1}, .groups = {{}}};
  const TunerResult found = tune(space, [](const knowledge::Configuration& tried) {
    if (tried.gpu_share == 1) return Measured{1, 0, 1.01};
    if (tried.gpu_share == 0) return Measured{0, 1.2, 1.21};
    return Measured{0.6, 0.6, 1.3};  // merging takes the time that the parts save
  });
  EXPECT_EQ(found.configuration.gpu_share, 1);
  EXPECT_EQ(found.seconds, 1.01);
}

TEST(AutoTuner, ASplitThatSavesNearlyNothingIsNotTaken) {
  const TunerSpace space{.fissions = {knowledge::Fission::none}, .overlaps = {1}, .groups = {{}}};
  const auto found_where_a_split_takes = [&](double seconds) {
    return tune(space,
                [&](const knowledge::Configuration& tried) {
                  if (tried.gpu_share == 1) return Measured{1, 0};
                  if (tried.gpu_share == 0) return Measured{0, 3};
                  return Measured{seconds, seconds};
                })
        .configuration.gpu_share;
  };
  EXPECT_EQ(found_where_a_split_takes(0.99), 1);
  EXPECT_LT(found_where_a_split_takes(0.95), 1);
}

// A level of fission that suits the CPU alone may suit no split.
TEST(AutoTuner, OneTypeAloneIsTriedWithEachOfItsLevels) {
  using knowledge::Configuration;
  using knowledge::Fission;
  const TunerSpace space{
      .fissions = {Fission::none, Fission::l3, Fission::l2, Fission::l1}, .overlaps = {1, 2, 3, 4}, .groups = {{}}};
  const auto cpu = tune(space, [](const Configuration& tried) {
    if (tried.gpu_share == 0) return Measured{0, tried.fission == Fission::l1 ? 0.1 : 2};
    return Measured{1, tried.fission == Fission::none ? 1.0 : 3.0};
  });
  EXPECT_EQ(cpu.configuration.gpu_share, 0);
  EXPECT_EQ(cpu.configuration.fission, Fission::l1);
  const auto gpu = tune(space, [](const Configuration& tried) {
    if (tried.gpu_share == 1) return Measured{tried.overlap == 4 ? 0.1 : 2, 0};
    return Measured{tried.overlap == 1 ? 1.0 : 3.0, 1};
  });
  EXPECT_EQ(gpu.configuration.gpu_share, 1);
  EXPECT_EQ(gpu.configuration.overlap, 4U);
}

TEST(AutoTuner, GroupsOfLowOccupancyAreLeftOutUnlessAllAre) {
  const auto sizes = [](const std::vector<GroupChoice>& choices) {
    std::vector<unsigned> list;
    for (const GroupChoice& choice : choices) list.push_back(choice.groups.at(0));
    return list;
  };
  EXPECT_EQ(sizes(filter_groups({{{64}, .5}, {{128}, .8}, {{256}, 1}, {{512}, .9}}, 0.8)),
            (std::vector<unsigned>{256, 512, 128}));
  EXPECT_EQ(sizes(filter_groups({{{64}, .3}, {{128}, .5}, {{256}, .4}}, 0.8)), std::vector<unsigned>{128});
  EXPECT_TRUE(filter_groups({}, 0.8).empty());
}

TEST(AutoTuner, AnEmptySpaceIsRefused) {
  EXPECT_THROW(tune({{}, {1}, {{{}, 1}}}, [](const auto&) { return Measured{}; }), Error);
}

}  // namespace
}  // namespace heddle::tuning
