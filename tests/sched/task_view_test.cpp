// What policies see of tasks is kept between their decisions. Here each decision compares all of it with what the test
// knows, while tasks come, leave, become ready in another order, and queues are suspended.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "sched/dispatcher.hpp"
#include "sched/fake_work.hpp"

namespace heddle::sched {
namespace {

struct Known {
  std::uint64_t blocks = 1, multiple = 1, submitted = 0;
  bool divisible = true;
  std::uint32_t queue = 0;
};

class Comparing final : public Policy {
 public:
  Comparing(std::map<std::string, Known>& known, std::mt19937& random) : known_(known), random_(random) {}
  void decide(const View& view, std::vector<Decision>& decisions) override {
    ++compared;
    most = std::max(most, view.ready.size());
    std::uint64_t last = 0;
    for (const TaskView& task : view.ready) {
      const Known& known = known_.at(std::string(task.name));
      EXPECT_GT(task.id, last) << "in the order in which they were made";
      last = task.id;
      EXPECT_EQ(task.queue->id, known.queue);
      EXPECT_EQ(task.blocks, known.blocks);
      EXPECT_EQ(task.divisible, known.divisible);
      EXPECT_EQ(task.traits.block_multiple, known.multiple);
      EXPECT_EQ(task.left.begin, known.submitted);
      EXPECT_EQ(task.left.end, known.blocks);
      EXPECT_FALSE(task.queue->suspended && !task.required);
    }
    if (view.ready.empty() || random_() % 4 != 0) return;
    const std::size_t chosen = random_() % view.ready.size();
    Known& known = known_.at(std::string(view.ready[chosen].name));
    const std::uint64_t left = known.blocks - known.submitted;
    const std::uint64_t blocks = known.divisible ? 1 + random_() % left : left;
    const std::uint64_t end = (known.submitted + blocks + known.multiple - 1) / known.multiple * known.multiple;
    known.submitted = known.divisible ? std::min(end, known.blocks) : known.blocks;  // whole clusters
    decisions.push_back({.task = chosen, .blocks = blocks});
  }
  std::uint64_t compared = 0;
  std::size_t most = 0;

 private:
  std::map<std::string, Known>& known_;
  std::mt19937& random_;
};

TEST(TaskView, IsThatOfTheTasksAtEachDecision) {
  std::mt19937 random(7);
  std::map<std::string, Known> known;
  const auto clock = std::make_shared<base::ManualClock>();
  base::Mutex mutex;
  FakeDevice device;
  auto made = std::make_unique<Comparing>(known, random);
  const Comparing& policy = *made;
  Dispatcher dispatcher(
      std::move(made), {{.processors = 4}}, [](std::size_t, const std::vector<unsigned>&) { return nullptr; }, mutex,
      base::make_watcher(clock));
  std::array<LaunchQueue*, 3> queues{};
  for (LaunchQueue*& queue : queues) queue = &dispatcher.add_queue("queue", 0);
  std::vector<std::shared_ptr<HeldTask>> tasks;
  std::array<bool, 3> suspended{};
  const auto end_one = [&] {
    clock->advance(1000);
    const auto first = device.running.front();
    device.running.pop_front();
    first->complete(clock->now_ns());
  };
  for (int step = 0; step < 4000; ++step) {
    const unsigned what = random() % 8;
    if (what < 3 && known.size() < 1500) {
      const unsigned in = random() % 3;
      const std::string name = "k" + std::to_string(known.size());
      const Known one{1 + random() % 9, 1 + random() % 4, 0, random() % 3 != 0, queues[in]->id};
      known[name] = one;
      // Some wait for an older task, and become ready behind younger ones.
      const std::shared_ptr<HeldTask> parents[] = {
          tasks.empty() || random() % 3 != 0
              ? nullptr
              : tasks[tasks.size() - 1 - random() % std::min<std::size_t>(tasks.size(), 9)]};
      const base::Lock lock(mutex);
      tasks.push_back(dispatcher.hold_after(
          *queues[in],
          std::make_unique<FakeWork>(
              device,
              FakeTask{.name = name, .blocks = one.blocks, .divisible = one.divisible, .block_multiple = one.multiple}),
          parents));
    } else if (what < 7) {
      if (!device.running.empty()) end_one();
    } else {
      const unsigned of = random() % 3;
      const base::Lock lock(mutex);
      dispatcher.set_suspended(*queues[of], suspended[of] = !suspended[of]);
    }
  }
  for (LaunchQueue* const queue : queues) {
    const base::Lock lock(mutex);
    dispatcher.set_suspended(*queue, false);
  }
  while (!device.running.empty()) end_one();
  EXPECT_GT(policy.compared, 2000U);
  EXPECT_GT(policy.most, 10U);
  const base::Lock lock(mutex);
  while (dispatcher.held() != 0) dispatcher.set_tenant(dispatcher.add_tenant({}), {});
}

}  // namespace
}  // namespace heddle::sched
