#include "tuning/rivals.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace heddle::tuning {
namespace {

const knowledge::Configuration split{.gpu_share = 0.7}, gpu{.gpu_share = 1}, cpu{.gpu_share = 0};

// How many of so many runs had the configuration, where `seconds` says what a run takes.
int runs_with(const knowledge::Configuration& counted, Rivals& rivals, int runs,
              const std::function<double(const knowledge::Configuration&)>& seconds) {
  int with = 0;
  for (int i = 0; i < runs; ++i) {
    const knowledge::Configuration used = rivals.configuration();
    with += used == counted ? 1 : 0;
    rivals.record(used, seconds(used));
  }
  return with;
}

TEST(Rivals, OneRivalOrNoneChangesNothing) {
  Rivals rivals;
  EXPECT_FALSE(rivals.record(split, 1));
  rivals.begin({{split, 1}}, 0);
  for (int i = 0; i < 200; ++i) EXPECT_FALSE(rivals.record(split, 100));
}

TEST(Rivals, ALuckyFindIsLeftAfterNineRuns) {
  Rivals rivals;
  rivals.begin({{split, 0.9}, {gpu, 1}, {cpu, 5}}, 0);
  EXPECT_EQ(runs_with(split, rivals, 11, [](const auto& used) { return used == split ? 1.3 : 1.0; }), 10);
  EXPECT_EQ(rivals.configuration(), gpu);
}

// The CPU's load begins: all splits are slower, the GPU alone is not.
TEST(Rivals, ALoadThatBeginsIsLeftAfterFourRuns) {
  Rivals rivals;
  const knowledge::Configuration near{.gpu_share = 0.72};
  rivals.begin({{split, 1}, {near, 1.01}, {gpu, 1.1}}, 0);
  runs_with(split, rivals, 20, [](const auto&) { return 1.0; });
  const auto loaded = [](const auto& used) { return used == gpu ? 1.1 : 3.0; };
  EXPECT_EQ(runs_with(split, rivals, 30, loaded), 4);
  EXPECT_EQ(rivals.configuration(), gpu);
}

// It may begin right after a change.
TEST(Rivals, ALoadThatBeginsAtOnceIsLeftAfterFiveRuns) {
  Rivals rivals;
  rivals.begin({{split, 1}, {gpu, 1.1}}, 0);
  EXPECT_EQ(runs_with(split, rivals, 30, [](const auto& used) { return used == gpu ? 1.1 : 3.0; }), 5);
}

// The GPU is slow as well: whether it would be faster than the split is not known.
TEST(Rivals, WhatSlowsAllDownChangesLittle) {
  Rivals rivals;
  rivals.begin({{split, 1}, {gpu, 1.1}}, 0);
  runs_with(split, rivals, 20, [](const auto&) { return 1.0; });
  EXPECT_GE(runs_with(split, rivals, 500, [](const auto& used) { return used == gpu ? 3.3 : 3.0; }), 450);
}

// A few slow runs, of a host with other users, are no reason.
TEST(Rivals, OutliersDoNotCount) {
  Rivals rivals({.runs_to_probe = 1000});
  rivals.begin({{split, 1}, {gpu, 1.1}}, 0);
  int calls = 0;
  EXPECT_EQ(runs_with(split, rivals, 900, [&](const auto&) { return ++calls % 3 == 0 ? 20.0 : 1.0; }), 900);
}

TEST(Rivals, ProbesAreFewAndBecomeFewer) {
  Rivals rivals;
  rivals.begin({{split, 1}, {gpu, 1.2}}, 0);
  const auto seconds = [](const auto& used) { return used == split ? 1.0 : 1.2; };
  EXPECT_EQ(runs_with(gpu, rivals, 1000, seconds), 4 * 4);  // after 64, 128, 256, 512 runs
}

TEST(Rivals, WhatIsMuchSlowerIsNotTried) {
  Rivals rivals;
  rivals.begin({{split, 1}, {cpu, 5}}, 0);
  EXPECT_EQ(runs_with(cpu, rivals, 2000, [](const auto& used) { return used == split ? 1.0 : 5.0; }), 0);
}

// It was worth trying when it was measured. Now it takes five times as long.
TEST(Rivals, AProbeEndsWithASlowRun) {
  Rivals rivals;
  rivals.begin({{split, 1}, {gpu, 1.2}}, 0);
  EXPECT_EQ(runs_with(gpu, rivals, 1000, [](const auto& used) { return used == split ? 1.0 : 5.0; }), 2);
}

TEST(Rivals, AProbeThatIsFasterStays) {
  Rivals rivals;
  rivals.begin({{split, 1}, {gpu, 1.2}}, 0);
  runs_with(gpu, rivals, 80, [](const auto& used) { return used == split ? 1.0 : 0.5; });
  EXPECT_EQ(rivals.configuration(), gpu);
}

// The configuration with which a rival comes back is the one that the load balancer had made of it.
TEST(Rivals, AnAdaptedSplitIsKept) {
  Rivals rivals;
  rivals.begin({{split, 1}, {gpu, 1.2}}, 0);
  const knowledge::Configuration adapted{.gpu_share = 0.8};
  bool probed = false;
  for (int i = 0; i < 80; ++i) {
    const knowledge::Configuration used = rivals.configuration() == gpu ? gpu : adapted;
    probed = probed || used == gpu;
    rivals.record(used, used == gpu ? 1.2 : 1.0);
  }
  EXPECT_TRUE(probed);
  EXPECT_EQ(rivals.configuration(), adapted);
}

TEST(Rivals, NoiseAloneRarelyChangesAnything) {
  Rivals rivals;
  rivals.begin({{split, 1}, {gpu, 1.1}}, 0);
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.05);
  const auto seconds = [&](const auto& used) { return (used == split ? 1.0 : 1.1) * (1 + noise(random)); };
  EXPECT_GE(runs_with(split, rivals, 5000, seconds), 4900);
}

}  // namespace
}  // namespace heddle::tuning
