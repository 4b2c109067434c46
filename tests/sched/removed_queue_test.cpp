// Queues that end while ranges of theirs are in flight.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "sched/dispatcher.hpp"
#include "sched/fake_work.hpp"
#include "sched/make_policy.hpp"

namespace heddle::sched {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Submits all; ends count where they happen, or when a later range of the queue has ended.
class SubmitAll final : public Policy {
 public:
  SubmitAll(bool timed, std::vector<std::uint32_t>& removed, std::size_t& seen)
      : timed_(timed), removed_(removed), seen_(seen) {}
  void decide(const View& view, std::vector<Decision>& decisions) override {
    seen_ += view.completions.size();
    for (const Completion& completion : view.completions)
      EXPECT_THAT(removed_, testing::Not(testing::Contains(completion.range.queue)));
    for (std::size_t i = 0; i < view.ready.size(); ++i) decisions.push_back({.task = i, .timed = timed_});
  }
  bool sees_ranges() const override { return true; }
  void queue_removed(std::uint32_t queue) override { removed_.push_back(queue); }

 private:
  const bool timed_;
  std::vector<std::uint32_t>& removed_;
  std::size_t& seen_;
};

class RemovedQueue : public testing::TestWithParam<bool> {
 protected:
  std::vector<std::shared_ptr<HeldTask>> hold(LaunchQueue& queue, int count) {
    const base::Lock lock(mutex);
    std::vector<std::shared_ptr<HeldTask>> tasks;
    for (int i = 0; i < count; ++i) {
      const std::vector<std::shared_ptr<HeldTask>> parents(tasks.begin() + (tasks.empty() ? 0 : i - 1), tasks.end());
      tasks.push_back(dispatcher.hold_after(queue, std::make_unique<FakeWork>(device, FakeTask{.name = "k"}), parents));
    }
    return tasks;
  }
  void remove(LaunchQueue& queue) {
    const base::Lock lock(mutex);
    dispatcher.remove_queue(queue);
  }
  void complete_all() {
    while (!device.running.empty()) {
      clock->advance(1000);
      const auto first = device.running.front();
      device.running.pop_front();
      first->complete(clock->now_ns());
    }
  }
  LaunchQueue& add_queue() {
    const base::Lock lock(mutex);
    return dispatcher.add_queue("q", 0);
  }

  std::shared_ptr<base::ManualClock> clock = std::make_shared<base::ManualClock>();
  std::shared_ptr<base::Watcher> watcher = base::make_watcher(clock);
  base::Mutex mutex;
  FakeDevice device;
  std::vector<std::uint32_t> removed;
  std::size_t seen = 0;
  Dispatcher dispatcher{std::make_unique<SubmitAll>(GetParam(), removed, seen),
                        {{.processors = 4}},
                        [](std::size_t, const std::vector<unsigned>&) { return nullptr; },
                        mutex,
                        watcher};
};

TEST_P(RemovedQueue, EndsWithItsLastRange) {
  LaunchQueue& queue = add_queue();
  const std::uint32_t number = queue.id;
  const auto tasks = hold(queue, 5);
  remove(queue);
  EXPECT_THAT(removed, IsEmpty()) << "ranges are in flight";
  complete_all();
  for (const auto& task : tasks) EXPECT_EQ(task->state, TaskState::done);
  hold(add_queue(), 1);  // the policy sees the ends, and then that the queue is gone
  EXPECT_EQ(seen, 5u);
  EXPECT_THAT(removed, ElementsAre(number));
  complete_all();
}

TEST_P(RemovedQueue, OneWithoutRangesEndsAtOnce) {
  LaunchQueue& queue = add_queue();
  const std::uint32_t number = queue.id;
  remove(queue);
  EXPECT_THAT(removed, ElementsAre(number));
}

// Streams that come and go. The policy's memory of them goes, too: the next request finds nothing of the last one.
TEST_P(RemovedQueue, ManyComeAndGo) {
  for (int i = 0; i < 200; ++i) {
    LaunchQueue& queue = add_queue();
    hold(queue, 1 + i % 7);
    if (i % 3 == 0) complete_all();
    remove(queue);
  }
  complete_all();
  hold(add_queue(), 1);
  EXPECT_EQ(removed.size(), 200u);
  complete_all();
}

INSTANTIATE_TEST_SUITE_P(Ends, RemovedQueue, testing::Bool(),
                         [](const auto& info) { return info.param ? "Timed" : "Untimed"; });

}  // namespace
}  // namespace heddle::sched
