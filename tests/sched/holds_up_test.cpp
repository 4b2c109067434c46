// Work behind which later work is held until it has run, as a function of the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/dispatcher.hpp"
#include "sched/fake_work.hpp"

namespace heddle::sched {
namespace {

using testing::ElementsAre;

// One launch in flight at most.
class OneAtATime final : public Policy {
 public:
  bool sees_ranges() const override { return true; }
  void decide(const View& view, std::vector<Decision>& decisions) override {
    if (view.in_flight.empty() && !view.ready.empty()) decisions.push_back({.task = 0});
  }
};

class HoldsUp : public testing::Test {
 protected:
  std::shared_ptr<HeldTask> hold(LaunchQueue& queue, FakeTask task, const std::shared_ptr<HeldTask>& after = nullptr) {
    const base::Lock lock(mutex);
    const std::shared_ptr<HeldTask> parents[] = {after};
    return dispatcher->hold_after(queue, std::make_unique<FakeWork>(device, std::move(task)), parents);
  }
  static FakeTask function(bool done_at_once = false) {
    return {.name = "f", .governed = false, .holds_up = true, .done_at_once = done_at_once};
  }
  void complete_first() {
    const auto first = device.running.front();
    device.running.pop_front();
    first->complete(clock->now_ns());
  }
  std::size_t held() {
    const base::Lock lock(mutex);
    return dispatcher->held();
  }

  std::shared_ptr<base::ManualClock> clock = std::make_shared<base::ManualClock>();
  std::shared_ptr<base::Watcher> watcher = base::make_watcher(clock);
  base::Mutex mutex;
  FakeDevice device;
  std::unique_ptr<Dispatcher> dispatcher = std::make_unique<Dispatcher>(
      std::make_unique<OneAtATime>(), std::vector<Dispatcher::Device>{{.processors = 4}},
      [](std::size_t, const std::vector<unsigned>&) { return nullptr; }, mutex, watcher);
  LaunchQueue &queue = dispatcher->add_queue("q", 0), &other = dispatcher->add_queue("other", 0);
};

TEST_F(HoldsUp, WorkOfItsQueueAndNotOfOthers) {
  const auto f = hold(queue, function());
  hold(queue, {.name = "behind"}, f);
  EXPECT_THAT(device.log, ElementsAre("f[0,1)"));
  EXPECT_LT(f->state, TaskState::submitted) << "queues take it for held, so that later commands are held as well";
  hold(other, {.name = "other"});
  EXPECT_THAT(device.log, ElementsAre("f[0,1)", "other[0,1)")) << "nothing behind the function is in flight";
  complete_first();  // the function has returned
  EXPECT_THAT(device.log, ElementsAre("f[0,1)", "other[0,1)")) << "the policy allows one in flight";
  complete_first();
  EXPECT_THAT(device.log, ElementsAre("f[0,1)", "other[0,1)", "behind[0,1)"));
  complete_first();
  EXPECT_EQ(held(), 0u);
}

TEST_F(HoldsUp, UngovernedWorkToo) {
  const auto f = hold(queue, function());
  const auto g = hold(queue, function(), f);
  hold(queue, {.name = "copy", .governed = false}, g);
  EXPECT_THAT(device.log, ElementsAre("f[0,1)"));
  complete_first();
  EXPECT_THAT(device.log, ElementsAre("f[0,1)", "f[0,1)"));
  complete_first();
  EXPECT_THAT(device.log, ElementsAre("f[0,1)", "f[0,1)", "copy[0,1)"));
  EXPECT_EQ(held(), 0u);
}

TEST_F(HoldsUp, NothingWhereItHasRunAtOnce) {
  hold(queue, {.name = "behind"}, hold(queue, function(true)));
  EXPECT_THAT(device.log, ElementsAre("f[0,1)", "behind[0,1)"));
  complete_first();  // the function's event, which nobody waits for
  complete_first();
  EXPECT_EQ(held(), 0u);
}

TEST_F(HoldsUp, NobodyAfterTheDispatcher) {
  const auto f = hold(queue, function());
  hold(queue, {.name = "behind"}, f);
  dispatcher.reset();
  complete_first();
  EXPECT_THAT(device.log, ElementsAre("f[0,1)"));
}

}  // namespace
}  // namespace heddle::sched
