#include "kernelet/bound.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace heddle::bench::kernelet {
namespace {

double sum_of(const std::vector<double>& times, std::span<const double> work, std::span<const Together> pairs) {
  std::vector<double> left(work.begin(), work.end());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    left[pairs[i].first] -= times[i] * pairs[i].first_speed;
    left[pairs[i].second] -= times[i] * pairs[i].second_speed;
  }
  for (const double one : left) EXPECT_GT(one, -1e-9) << "more work than there is";
  return std::accumulate(times.begin(), times.end(), std::accumulate(left.begin(), left.end(), 0.0));
}

TEST(ShortestPlan, WithoutGainAllRunAlone) {
  const std::vector<double> work{2, 3};
  EXPECT_EQ(shortest_plan(work, {}), std::vector<double>());
  const std::vector<Together> pairs{{0, 1, .5, .4}};
  EXPECT_EQ(shortest_plan(work, pairs), std::vector<double>{0});
}

// The first ratio gains most while it runs (0.29 of the time, the other 0.26), and leaves kernel 0 alone for long.
TEST(ShortestPlan, LeavesNoKernelAloneForLong) {
  const std::vector<double> work{1, 1};
  const std::vector<Together> pairs{{0, 1, .4, 1}, {0, 1, .65, .7}};
  const auto times = shortest_plan(work, pairs);
  EXPECT_EQ(times[0], 0);
  EXPECT_NEAR(times[1], 1 / .7, 1e-9);
  EXPECT_NEAR(sum_of(times, work, pairs), 1.5, 1e-9) << "after the first ratio alone it would be 1.6";
}

// Two kernels: of two ratios, parts of both, so that both kernels end at the same time.
TEST(ShortestPlan, MixesRatiosSoThatBothEnd) {
  const std::vector<double> work{1, 1};
  const std::vector<Together> pairs{{0, 1, .9, .4}, {0, 1, .4, .9}};
  const auto times = shortest_plan(work, pairs);
  EXPECT_NEAR(times[0], 1 / 1.3, 1e-9);
  EXPECT_NEAR(times[1], 1 / 1.3, 1e-9);
}

// No choice of one pair after another, each until one of its kernels has ended, is shorter.
TEST(ShortestPlan, IsNotLongerThanAnyOrderOfPairs) {
  std::mt19937 random(3);
  const auto part = [&] { return static_cast<double>(random() % 1000) / 1000; };
  for (int round = 0; round < 200; ++round) {
    std::vector<double> work(2 + random() % 6);
    for (double& one : work) one = .1 + part();
    std::vector<Together> pairs;
    for (std::size_t i = 0; i < work.size(); ++i)
      for (std::size_t j = i + 1; j < work.size(); ++j)
        for (int ratio = 0; ratio < 3; ++ratio) pairs.push_back({i, j, .1 + .8 * part(), .1 + .8 * part()});
    const double best = sum_of(shortest_plan(work, pairs), work, pairs);
    for (int schedule = 0; schedule < 50; ++schedule) {
      std::vector<double> left = work;
      double time = 0;
      for (int tries = 0; tries < 40; ++tries) {
        const Together& pair = pairs[random() % pairs.size()];
        const double runs = std::min(left[pair.first] / pair.first_speed, left[pair.second] / pair.second_speed);
        left[pair.first] -= runs * pair.first_speed;
        left[pair.second] -= runs * pair.second_speed;
        time += runs;
      }
      EXPECT_LE(best, std::accumulate(left.begin(), left.end(), time) + 1e-6);
    }
  }
}

}  // namespace
}  // namespace heddle::bench::kernelet
