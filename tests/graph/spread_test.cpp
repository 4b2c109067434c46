// Plans of random DAGs are run: each task finds its parents done, and the end of queue 0 all tasks.
#include "graph/spread.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace heddle::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What is surely done when each step begins, by the order of queues and by waits alone.
std::vector<std::set<unsigned>> known_done(const Spread& plan) {
  std::vector<std::set<unsigned>> before(plan.steps.size());
  std::vector<int> last(plan.places.size(), -1);
  const auto add = [&](std::set<unsigned>& set, unsigned task) {
    set.insert(task);
    set.insert(before[task].begin(), before[task].end());
  };
  for (unsigned i = 0; i < plan.steps.size(); ++i) {
    const Spread::Step& step = plan.steps[i];
    if (last[step.queue] >= 0) add(before[i], static_cast<unsigned>(last[step.queue]));
    for (const unsigned awaited : step.waits) add(before[i], awaited);
    last[step.queue] = static_cast<int>(i);
  }
  return before;
}

void expect_right(const std::vector<PlannedTask>& tasks, const Spread& plan) {
  ASSERT_EQ(plan.steps.size(), tasks.size());
  const auto before = known_done(plan);
  std::vector<int> last(plan.places.size(), -1);
  for (unsigned i = 0; i < tasks.size(); ++i) {
    const Spread::Step& step = plan.steps[i];
    EXPECT_EQ(plan.places[step.queue], tasks[i].place) << "task " << i;
    for (const unsigned parent : tasks[i].parents) EXPECT_EQ(before[i].count(parent), 1u) << parent << " before " << i;
    for (const unsigned awaited : step.waits) EXPECT_TRUE(plan.steps[awaited].recorded) << "task " << awaited;
    const bool first = last[step.queue] < 0 && step.queue != 0;
    EXPECT_EQ(step.begins, first && step.waits.empty()) << "task " << i;
    last[step.queue] = static_cast<int>(i);
  }
  std::set<unsigned> end;
  const auto add = [&](unsigned task) {
    end.insert(task);
    end.insert(before[task].begin(), before[task].end());
  };
  if (last[0] >= 0) add(static_cast<unsigned>(last[0]));
  for (const unsigned tail : plan.joins) {
    EXPECT_TRUE(plan.steps[tail].recorded) << "tail " << tail;
    add(tail);
  }
  EXPECT_EQ(end.size(), tasks.size());
  ASSERT_EQ(plan.tails.size(), plan.places.size() - 1);
  for (std::size_t queue = 1; queue < plan.places.size(); ++queue)
    EXPECT_EQ(static_cast<int>(plan.tails[queue - 1]), last[queue]);
}

TEST(Spread, AChainIsOneQueue) {
  const Spread plan = spread(std::vector<PlannedTask>{{}, {.parents = {0}}, {.parents = {1}}}, 8);
  EXPECT_THAT(plan.places, ElementsAre(0u));
  for (const Spread::Step& step : plan.steps) EXPECT_FALSE(step.recorded);
  EXPECT_THAT(plan.joins, IsEmpty());
}

TEST(Spread, ADiamondTakesTwoQueuesAndTwoEvents) {
  const std::vector<PlannedTask> tasks{{}, {.parents = {0}}, {.parents = {0}}, {.parents = {1, 2}}};
  const Spread plan = spread(tasks, 8);
  expect_right(tasks, plan);
  EXPECT_EQ(plan.places.size(), 2u);
  EXPECT_EQ(std::count_if(plan.steps.begin(), plan.steps.end(), [](const auto& step) { return step.recorded; }), 2);
}

// Fan-outs that follow each other use the same queues: those of the first are idle when the second begins.
TEST(Spread, QueuesWhoseTasksHaveRunAreUsedAgain) {
  std::vector<PlannedTask> tasks{{}};
  for (int round = 0; round < 4; ++round) {
    const auto root = static_cast<unsigned>(tasks.size() - 1);
    for (int i = 0; i < 4; ++i) tasks.push_back({.parents = {root}});
    tasks.push_back({.parents = {root + 1, root + 2, root + 3, root + 4}});
  }
  const Spread plan = spread(tasks, 8);
  expect_right(tasks, plan);
  EXPECT_EQ(plan.places.size(), 4u);
}

TEST(Spread, QueueZeroIsOfDeviceZeroAlsoWithoutTasks) {
  const std::vector<PlannedTask> tasks{{.place = 1}, {.place = 1, .parents = {0}}};
  const Spread plan = spread(tasks, 8);
  expect_right(tasks, plan);
  EXPECT_THAT(plan.places, ElementsAre(0u, 1u));
  EXPECT_THAT(plan.joins, ElementsAre(1u));
}

TEST(Spread, RandomDagsOnThreeDevicesRunInOrder) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<PlannedTask> tasks(1 + random() % 60);
    const unsigned places = 1 + random() % 3, most = 1 + random() % 6;
    for (unsigned i = 0; i < tasks.size(); ++i) {
      tasks[i].place = random() % places;
      for (unsigned k = random() % 4; k > 0 && i > 0; --k) tasks[i].parents.push_back(random() % i);
    }
    const Spread plan = spread(tasks, most);
    expect_right(tasks, plan);
    std::vector<unsigned> queues(places);
    for (const std::uint32_t place : plan.places) ++queues[place];
    for (const unsigned count : queues) EXPECT_LE(count, most);
    if (::testing::Test::HasFailure()) FAIL() << "round " << round;
  }
}

}  // namespace
}  // namespace heddle::graph
