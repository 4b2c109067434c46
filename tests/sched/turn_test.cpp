// What a thread submits itself, past the policy, on a clock that is moved by hand.
#include "sched/turn.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "sched/fake_work.hpp"
#include "sched/policy/bounded.hpp"
#include "support/wait_until.hpp"

namespace heddle::sched {
namespace {

using graph::Mode;
using testing::ElementsAre;
using Task = std::shared_ptr<HeldTask>;

class TurnTest : public testing::Test {
 protected:
  Task hold(FakeTask task, Mode mode) {
    const base::Lock lock(mutex);
    const graph::Access access{array, mode, 0, 100};
    return dispatcher.hold(queue, std::make_unique<FakeWork>(device, std::move(task)), {&access, 1});
  }
  void complete_all() {
    while (!device.running.empty()) {
      clock->advance(100'000);
      const auto first = device.running.front();
      device.running.pop_front();
      first->complete(clock->now_ns());
    }
  }
  bool is_held(std::size_t count) {
    const base::Lock lock(mutex);
    return dispatcher.held() == count;
  }
  void TearDown() override {
    complete_all();
    EXPECT_TRUE(is_held(0));
  }

  std::shared_ptr<base::ManualClock> clock = std::make_shared<base::ManualClock>();
  std::shared_ptr<base::Watcher> watcher = base::make_watcher(clock);
  base::Mutex mutex;
  FakeDevice device;
  Dispatcher dispatcher{std::make_unique<BoundedPolicy>(100e-6), std::vector<Dispatcher::Device>{{.processors = 4}},
                        [](std::size_t, const std::vector<unsigned>&) { return nullptr; }, mutex, watcher};
  LaunchQueue& queue = dispatcher.add_queue("first", 0);
  const graph::ObjectId array = dispatcher.dag().add_object(100);
};

TEST_F(TurnTest, ComesAfterAllBlocksOfWhatItConflictsWith) {
  hold({.name = "a", .blocks = 20, .seconds_per_block = 10e-6}, Mode::read_write);
  std::atomic<bool> acquired{false}, released{false};
  std::thread thread([&] {
    base::Lock lock(mutex);
    const graph::Access access{array, Mode::read, 0, 50};
    const Turn turn(dispatcher, {&access, 1}, lock);
    lock.unlock();
    acquired = true;
    while (!released) std::this_thread::yield();
  });
  EXPECT_TRUE(tests::wait_until([&] { return is_held(2); }));
  const Task later = hold({.name = "b", .blocks = 2, .seconds_per_block = 10e-6}, Mode::read_write);
  EXPECT_FALSE(acquired);
  EXPECT_THAT(device.log, ElementsAre("a[0,10)"));
  complete_all();  // what is left of a goes
  EXPECT_TRUE(tests::wait_until([&] { return acquired.load(); }));
  EXPECT_EQ(later->state, TaskState::held);  // it does not overtake the turn
  EXPECT_THAT(device.log, ElementsAre("a[0,10)", "a[10,20)"));
  released = true;
  thread.join();
  complete_all();
  EXPECT_THAT(device.log, ElementsAre("a[0,10)", "a[10,20)", "b[0,2)"));
}

TEST_F(TurnTest, WaitsForNothingElse) {
  base::Lock lock(mutex);
  const graph::ObjectId other = dispatcher.dag().add_object(100);
  lock.unlock();
  hold({.name = "a", .blocks = 20, .seconds_per_block = 10e-6}, Mode::read_write);
  lock.lock();
  const graph::Access access{other, Mode::read_write, 0, 100};
  {
    const Turn turn(dispatcher, {&access, 1}, lock);
    EXPECT_EQ(dispatcher.held(), 2u);
  }
  EXPECT_EQ(dispatcher.held(), 1u);
}

}  // namespace
}  // namespace heddle::sched
