// Managed mode on a clock that is moved by hand: no device, no thread but those that memory is made ready on.
#include "sched/dispatcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <future>
#include <random>
#include <set>
#include <thread>

#include "heddle/error.hpp"
#include "sched/fake_work.hpp"
#include "sched/make_policy.hpp"
#include "sched/policy/bounded.hpp"
#include "sched/policy/slice.hpp"
#include "support/wait_until.hpp"

namespace heddle::sched {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using Task = std::shared_ptr<HeldTask>;

// A policy that the test writes as a function.
class Scripted final : public Policy {
 public:
  using Decide = std::function<void(const View&, std::vector<Decision>&)>;
  explicit Scripted(Decide decide) : decide_(std::move(decide)) {}
  void decide(const View& view, std::vector<Decision>& decisions) override { decide_(view, decisions); }
  std::optional<std::uint64_t> wake_ns(const View&) override { return wake; }
  std::optional<std::uint64_t> wake;

 private:
  Decide decide_;
};

class DispatcherTest : public testing::Test {
 protected:
  void start(std::unique_ptr<Policy> policy) {
    dispatcher = std::make_unique<Dispatcher>(
        std::move(policy), std::vector<Dispatcher::Device>{{.processors = 4}},
        [](std::size_t, const std::vector<unsigned>&) { return nullptr; }, mutex, watcher);
    queue = &dispatcher->add_queue("first", 0);
    other = &dispatcher->add_queue("second", 1);
  }
  void start(Scripted::Decide decide) { start(std::make_unique<Scripted>(std::move(decide))); }

  Task hold(LaunchQueue& in, FakeTask task, std::vector<Task> parents = {}) {
    const base::Lock lock(mutex);
    return dispatcher->hold_after(in, std::make_unique<FakeWork>(device, std::move(task)), parents);
  }
  Task hold(FakeTask task, std::vector<graph::Access> accesses) {
    const base::Lock lock(mutex);
    return dispatcher->hold(*queue, std::make_unique<FakeWork>(device, std::move(task)), accesses);
  }
  // The first range in flight ends after so long.
  void complete_after(double seconds) {
    clock->advance(static_cast<std::uint64_t>(seconds * 1e9));
    const auto first = device.running.front();
    device.running.pop_front();
    first->complete(clock->now_ns());
  }
  void complete_all() {
    while (!device.running.empty()) complete_after(1e-6);
  }
  std::vector<std::string> take_log() { return std::exchange(device.log, {}); }
  void TearDown() override {
    if (!dispatcher) return;
    dispatcher->set_suspended(*queue, false);
    complete_all();
    base::Lock lock(mutex);
    EXPECT_EQ(dispatcher->held(), 0u);
  }

  std::shared_ptr<base::ManualClock> clock = std::make_shared<base::ManualClock>();
  std::shared_ptr<base::Watcher> watcher = base::make_watcher(clock);
  base::Mutex mutex;
  FakeDevice device;
  std::unique_ptr<Dispatcher> dispatcher;
  LaunchQueue* queue = nullptr;
  LaunchQueue* other = nullptr;
  Task last;
  bool open = false;  // for policies that submit nothing before
};

void submit_all(const View& view, std::vector<Decision>& decisions) {
  for (std::size_t i = 0; i < view.ready.size(); ++i) decisions.push_back({.task = i});
}

// A process without tenants has the device for itself, also while no thread waits.
TEST_F(DispatcherTest, LithosSubmitsForAProcessWithoutTenants) {
  start(make_policy("lithos"));
  hold(*queue, {.name = "a", .blocks = 4});
  EXPECT_THAT(take_log(), Not(IsEmpty()));
  complete_all();
  hold(*queue, {.name = "b", .blocks = 4});
  EXPECT_THAT(take_log(), Not(IsEmpty()));
}

TEST_F(DispatcherTest, SliceSubmitsEverythingInRanges) {
  start(std::make_unique<SlicePolicy>(4));
  hold(*queue, {"a", 10});
  hold(*queue, {"b", 10, false});
  EXPECT_THAT(take_log(), ElementsAre("a[0,4)", "a[4,8)", "a[8,10)", "b[0,10)"));
}

TEST_F(DispatcherTest, BoundedKeepsToItsBoundAndGoesOnAsRangesEnd) {
  start(std::make_unique<BoundedPolicy>(100e-6));
  const Task task = hold(*queue, {.name = "a", .blocks = 100, .seconds_per_block = 10e-6});
  EXPECT_THAT(take_log(), ElementsAre("a[0,10)"));
  EXPECT_EQ(task->state, TaskState::ready);
  complete_after(100e-6);
  EXPECT_THAT(take_log(), ElementsAre("a[10,20)"));
  for (int i = 0; i < 8; ++i) complete_after(100e-6);
  EXPECT_EQ(task->state, TaskState::submitted);
  complete_after(100e-6);
  EXPECT_EQ(task->state, TaskState::done);
}

// A thread that submits may lose its processor. What runs meanwhile takes its time all the same: a policy that believes
// that a kernel takes none submits without bound.
TEST_F(DispatcherTest, ARangeMayEndBeforeItsSubmissionReturns) {
  start(std::make_unique<SlicePolicy>(4));
  const std::uint64_t begin_ns = clock->now_ns();
  const Task task = hold(*queue, {.name = "a", .blocks = 4, .on_submit = [&] { clock->advance(2'000'000); }});
  const auto range = device.running.front();
  device.running.pop_front();
  range->complete(begin_ns + 500'000);
  EXPECT_EQ(task->state, TaskState::done);
  EXPECT_DOUBLE_EQ(task->work->seconds_per_block(), 125e-6);
}

TEST_F(DispatcherTest, BoundedLetsTheUrgentPassBetweenRanges) {
  start(std::make_unique<BoundedPolicy>(100e-6));
  hold(*queue, {.name = "batch", .blocks = 1000, .seconds_per_block = 10e-6});
  hold(*other, {.name = "urgent", .blocks = 4, .seconds_per_block = 10e-6});
  take_log();
  complete_after(100e-6);
  EXPECT_THAT(take_log(), ElementsAre("urgent[0,4)", "batch[10,16)"));
}

TEST_F(DispatcherTest, WhatItDependsOnGoesFirst) {
  start([&](const View& view, std::vector<Decision>& decisions) {
    if (open) submit_all(view, decisions);
  });
  base::Lock lock(mutex);
  const graph::ObjectId array = dispatcher->dag().add_object(100);
  lock.unlock();
  using graph::Mode;
  const Task write = hold({"write"}, {{array, Mode::write, 0, 50}});
  const Task read = hold({"read"}, {{array, Mode::read, 40, 60}});
  const Task apart = hold({"apart"}, {{array, Mode::write, 60, 100}});
  EXPECT_EQ(write->state, TaskState::ready);
  EXPECT_EQ(read->state, TaskState::held);
  EXPECT_EQ(apart->state, TaskState::ready);
  lock.lock();
  EXPECT_EQ(dispatcher->hazards({array, Mode::write, 0, 100}).size(), 3u);
  open = true;
  dispatcher->dispatch();
  EXPECT_TRUE(dispatcher->hazards({array, Mode::write, 0, 100}).empty());
  lock.unlock();
  EXPECT_THAT(take_log(), ElementsAre("write[0,1)", "apart[0,1)", "read[0,1)"));
}

TEST_F(DispatcherTest, OtherWorkGoesWithoutThePolicyButInOrder) {
  start([&](const View& view, std::vector<Decision>& decisions) {
    for (const TaskView& task : view.ready) EXPECT_NE(task.name, "copy");
    if (open) submit_all(view, decisions);
  });
  const Task first = hold(*queue, {.name = "copy", .governed = false});
  EXPECT_THAT(take_log(), ElementsAre("copy[0,1)"));
  const Task kernel = hold(*queue, {"kernel"}, {first});
  const Task second = hold(*queue, {.name = "copy", .governed = false}, {kernel});
  const Task third = hold(*queue, {.name = "copy", .governed = false}, {second});
  EXPECT_THAT(take_log(), IsEmpty());
  const base::Lock lock(mutex);
  open = true;
  dispatcher->dispatch();
  EXPECT_THAT(take_log(), ElementsAre("kernel[0,1)", "copy[0,1)", "copy[0,1)"));
}

// Ranges that need no time of their own end with a later one of their queue.
TEST_F(DispatcherTest, UntimedRangesEndWithALaterOne) {
  start([&](const View& view, std::vector<Decision>& decisions) {
    if (!open) return;
    for (std::size_t i = 0; i < view.ready.size(); ++i) decisions.push_back({.task = i, .timed = false});
  });
  const Task a = hold(*queue, {.name = "a"}), b = hold(*queue, {.name = "b"}, {a}),
             c = hold(*queue, {.name = "c"}, {b});
  hold(*other, {.name = "d"});
  open = true;
  {
    const base::Lock lock(mutex);
    dispatcher->dispatch();
  }
  EXPECT_THAT(take_log(), ElementsAre("a[0,1)", "d[0,1)", "b[0,1)", "c[0,1)"));
  ASSERT_EQ(device.running.size(), 2u) << "c and d, which no launch follows";
  complete_after(1e-6);  // d
  EXPECT_EQ(a->ranges + b->ranges + c->ranges, 3u);
  complete_after(1e-6);
  EXPECT_EQ(a->ranges + b->ranges + c->ranges, 0u);
}

// Thousands may be in flight: four times as many must not take 16 times as long.
TEST_F(DispatcherTest, TheEndOfARangeDoesNotLookAtAllOthers) {
  start(std::make_unique<SlicePolicy>(1));
  const auto seconds = [&](std::uint64_t ranges) {
    for (LaunchQueue* const to : {queue, other}) hold(*to, {"k", ranges});
    std::reverse(device.running.begin(), device.running.end());
    const std::clock_t begin = std::clock();
    complete_all();
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  const double few = seconds(5000);
  EXPECT_LT(seconds(20'000), 10 * few + 0.1);
}

// Where no later range will come, they end at once.
TEST_F(DispatcherTest, UntimedRangesEndWhereALaterOneFails) {
  start([&](const View& view, std::vector<Decision>& decisions) {
    if (!open) return;
    for (std::size_t i = 0; i < view.ready.size(); ++i) decisions.push_back({.task = i, .timed = false});
  });
  const Task a = hold(*queue, {.name = "a"});
  hold(*queue, {.name = "b", .on_submit = [] { throw Error(ErrorCode::internal, "b fails"); }}, {a});
  open = true;
  const base::Lock lock(mutex);
  dispatcher->dispatch();
  EXPECT_EQ(a->ranges, 0u);
  EXPECT_NE(dispatcher->take_failure(), nullptr);
}

// L13: whatever a policy says, ranges consist of whole clusters.
TEST_F(DispatcherTest, RangesEndAtMultiplesOfClusters) {
  start(std::make_unique<SlicePolicy>(3));
  hold(*queue, {.name = "a", .blocks = 12, .block_multiple = 4});
  EXPECT_THAT(take_log(), ElementsAre("a[0,4)", "a[4,8)", "a[8,12)"));
  hold(*queue, {.name = "b", .blocks = 12, .block_multiple = 2});
  EXPECT_THAT(take_log(), ElementsAre("b[0,4)", "b[4,8)", "b[8,12)"));
  hold(*queue, {.name = "c", .blocks = 8, .block_multiple = 16});
  EXPECT_THAT(take_log(), ElementsAre("c[0,8)"));
}

TEST_F(DispatcherTest, SuspensionHoldsAQueueAndNothingElse) {
  start(submit_all);
  dispatcher->set_suspended(*queue, true);
  hold(*queue, {"held"});
  hold(*queue, {.name = "copy", .governed = false});
  hold(*other, {"runs"});
  EXPECT_THAT(take_log(), ElementsAre("runs[0,1)"));
  const base::Lock lock(mutex);
  dispatcher->set_suspended(*queue, false);
  EXPECT_THAT(device.log, testing::UnorderedElementsAre("held[0,1)", "copy[0,1)"));
}

// A thread that launches more than a queue may hold waits until half of that is submitted, also where the policy
// submits nothing and the queue is suspended.
TEST_F(DispatcherTest, AQueueHoldsSoMuchAndNoMore) {
  start([&](const View& view, std::vector<Decision>& decisions) {
    if (open) submit_all(view, decisions);
  });
  dispatcher->set_suspended(*queue, true);
  const auto make = [&](std::uint64_t number) {
    base::Lock lock(mutex);
    dispatcher->wait_for_room(*queue, lock);
    const Task parents[] = {last};
    last = dispatcher->hold_after(*queue, std::make_unique<FakeWork>(device, FakeTask{.name = std::to_string(number)}),
                                  parents);
  };
  for (std::uint64_t i = 0; i < Dispatcher::most_held; ++i) make(i);
  EXPECT_THAT(take_log(), IsEmpty());
  auto one_more = std::async(std::launch::async, [&] { make(Dispatcher::most_held); });
  std::uint64_t submitted = 0;
  const auto submit_one = [&] {  // nothing is in flight, so the next one goes that is waited for
    const auto any = [&] {
      const base::Lock lock(mutex);
      return !device.running.empty();
    };
    if (!tests::wait_until(any)) return false;
    complete_after(1e-6);
    ++submitted;
    return true;
  };
  while (submitted < Dispatcher::most_held / 2) ASSERT_TRUE(submit_one()) << submitted;
  one_more.get();
  EXPECT_TRUE(device.running.empty()) << "what nobody waits for stays held";
  ASSERT_EQ(device.log.size(), Dispatcher::most_held / 2);
  for (std::uint64_t i = 0; i < device.log.size(); ++i) ASSERT_EQ(device.log[i], std::to_string(i) + "[0,1)");
  const base::Lock lock(mutex);
  EXPECT_EQ(queue->tasks, Dispatcher::most_held / 2 + 1);
  open = true;
}

// A queue that is not suspended does not wait for one that is: what it depends on goes, and no more.
TEST_F(DispatcherTest, SuspensionIsClosedUnderDependence) {
  start(submit_all);
  dispatcher->set_suspended(*queue, true);
  const Task first = hold(*queue, {"first"});
  const Task second = hold(*queue, {"second"}, {first});
  const Task third = hold(*queue, {"third"}, {second});
  EXPECT_THAT(take_log(), IsEmpty());
  hold(*other, {"other"}, {second});
  EXPECT_THAT(take_log(), ElementsAre("first[0,1)", "second[0,1)", "other[0,1)"));
  EXPECT_EQ(third->state, TaskState::ready);
}

TEST_F(DispatcherTest, AQueueThatIsSuspendedLaterIsClosedToo) {
  start([&](const View& view, std::vector<Decision>& decisions) {
    if (open) submit_all(view, decisions);
  });
  const Task first = hold(*queue, {"first"});
  const Task after = hold(*queue, {"after"}, {first});
  hold(*other, {"other"}, {first});
  const base::Lock lock(mutex);
  dispatcher->set_suspended(*queue, true);
  open = true;
  dispatcher->dispatch();
  EXPECT_THAT(take_log(), ElementsAre("first[0,1)", "other[0,1)"));
  EXPECT_EQ(after->state, TaskState::ready);
}

// Programs of random tasks in queues that are suspended and resumed at random: nothing that an open queue waits for
// stays held, all goes in the order of its dependences, once.
TEST_F(DispatcherTest, RandomSuspensionsNeverHoldWhatIsWaitedFor) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    device.log.clear();
    start(submit_all);
    std::vector<LaunchQueue*> queues{queue, other, &dispatcher->add_queue("third", 0)};
    std::vector<Task> tasks;
    std::vector<std::vector<std::size_t>> parents;
    for (std::size_t i = 0; i < 40; ++i) {
      if (random() % 4 == 0) dispatcher->set_suspended(*queues[random() % 3], random() % 2 == 0);
      std::vector<Task> after;
      parents.emplace_back();
      for (int p = 0; p < 2 && i > 0; ++p) {
        parents.back().push_back(random() % i);
        after.push_back(tasks[parents.back().back()]);
      }
      tasks.push_back(hold(*queues[random() % 3], {.name = std::to_string(i), .governed = random() % 3 != 0}, after));
      for (const Task& task : tasks)
        ASSERT_TRUE(task->queue->suspended || task->state >= TaskState::submitted) << "round " << round;
    }
    for (LaunchQueue* each : queues) dispatcher->set_suspended(*each, false);
    ASSERT_EQ(device.log.size(), tasks.size());
    std::set<std::string> gone;
    for (const std::string& entry : device.log) {
      const std::size_t number = std::stoul(entry);
      for (const std::size_t parent : parents[number]) ASSERT_TRUE(gone.contains(std::to_string(parent)));
      ASSERT_TRUE(gone.insert(std::to_string(number)).second);
    }
    complete_all();
  }
}

// A policy that never decides anything cannot hold what a thread waits for.
TEST_F(DispatcherTest, WhatAThreadWaitsForIsSubmittedInTheEnd) {
  start([](const View&, std::vector<Decision>&) {});
  Task last;
  for (int i = 0; i < 1000; ++i) last = hold(*queue, {std::to_string(i)}, {last});
  std::thread completes([&] {
    // Each is forced when nothing is in flight.
    for (int done = 0; done < 1000;) {
      std::shared_ptr<FakeEvent> first;
      {
        const base::Lock lock(mutex);
        if (!device.running.empty()) {
          first = device.running.front();
          device.running.pop_front();
        }
      }
      if (first) {
        first->complete(clock->now_ns());
        ++done;
      } else {
        std::this_thread::yield();
      }
    }
  });
  {
    base::Lock lock(mutex);
    dispatcher->wait_until_submitted({&last, 1}, lock);
    EXPECT_GE(last->state, TaskState::submitted);
  }
  completes.join();
}

// A chain as long as a program makes it: neither recursion nor time that grows with its square.
TEST_F(DispatcherTest, LongChainsAreRequiredWithoutRecursion) {
  start([&](const View& view, std::vector<Decision>& decisions) {
    if (open) submit_all(view, decisions);
  });
  Task last;
  for (int i = 0; i < 200'000; ++i) last = hold(*queue, {"k"}, {last});
  base::Lock lock(mutex);
  open = true;
  dispatcher->wait_until_submitted({&last, 1}, lock);
  EXPECT_EQ(device.log.size(), 200'000u);
}

TEST_F(DispatcherTest, APolicyIsAskedAgainWhenItsTimeHasCome) {
  auto policy = std::make_unique<Scripted>([&](const View& view, std::vector<Decision>& decisions) {
    if (view.now_ns >= 5'000'000) submit_all(view, decisions);
  });
  policy->wake = 5'000'000;
  start(std::move(policy));
  const Task task = hold(*queue, {"late"});
  EXPECT_THAT(take_log(), IsEmpty());
  clock->advance(5'000'000);
  watcher->post([] {});  // it looks at the clock
  base::Lock lock(mutex);
  dispatcher->wait_until_submitted({&task, 1}, lock);
  EXPECT_THAT(take_log(), ElementsAre("late[0,1)"));
}

// Memory is made ready on a thread of its own, without the lock; others go meanwhile.
TEST_F(DispatcherTest, WhatWaitsForMemoryHoldsUpNothingElse) {
  start(submit_all);
  std::promise<void> memory;
  const Task waits = hold(*queue, {.name = "waits", .make_ready = [&] { memory.get_future().wait(); }});
  hold(*queue, {"goes"});
  {
    const base::Lock lock(mutex);
    EXPECT_THAT(take_log(), ElementsAre("goes[0,1)"));
  }
  memory.set_value();
  base::Lock lock(mutex);
  dispatcher->wait_until_submitted({&waits, 1}, lock);
  EXPECT_THAT(take_log(), ElementsAre("waits[0,1)"));
}

TEST_F(DispatcherTest, FailuresStayWithTheTaskAndAreReportedOnce) {
  start(submit_all);
  const auto fails = [] { throw Error(ErrorCode::out_of_memory, "no more"); };
  const Task unready = hold(*queue, {.name = "unready", .make_ready = fails});
  const Task refused = hold(*queue, {.name = "refused", .on_submit = fails});
  const Task after = hold(*queue, {"after"}, {refused});
  base::Lock lock(mutex);
  const Task all[] = {unready, refused, after};
  dispatcher->wait_until_submitted(all, lock);
  EXPECT_NE(unready->failure, nullptr);
  EXPECT_NE(refused->failure, nullptr);
  EXPECT_EQ(after->failure, nullptr);
  EXPECT_THAT(take_log(), ElementsAre("after[0,1)"));
  EXPECT_NE(dispatcher->take_failure(), nullptr);
  EXPECT_EQ(dispatcher->take_failure(), nullptr);
}

// A task that fails at its first range, while the policy has named it for more of them.
TEST_F(DispatcherTest, DecisionsAboutATaskThatHasFailedAreLeftOut) {
  start([](const View& view, std::vector<Decision>& decisions) {
    for (int part = 0; part < 3; ++part) decisions.push_back({.task = 0, .blocks = 1});
    if (view.ready.size() > 7) decisions.push_back({.task = 7});
    decisions.push_back({.task = 99});  // there is no such task
  });
  hold(*queue, {.name = "fails", .blocks = 8, .on_submit = [] { throw Error(ErrorCode::unsupported, "not here"); }});
  EXPECT_THAT(take_log(), IsEmpty());
  EXPECT_NE(dispatcher->take_failure(), nullptr);
}

TEST_F(DispatcherTest, APolicyThatThrowsHoldsNothingForEver) {
  start([](const View&, std::vector<Decision>&) { throw std::runtime_error("mistake"); });
  const Task task = hold(*queue, {"k"});
  base::Lock lock(mutex);
  dispatcher->wait_until_submitted({&task, 1}, lock);
  EXPECT_THAT(take_log(), ElementsAre("k[0,1)"));
}

// The end of a module waits for what it may concern, and not for what others launch meanwhile.
TEST_F(DispatcherTest, WaitingForTheEndLeavesLaterTasksOut) {
  start(submit_all);
  hold(*queue, {"first"});
  std::promise<void> over;
  std::thread waits([&] {
    base::Lock lock(mutex);
    dispatcher->wait_until_all_done(lock);
    over.set_value();
  });
  auto ended = over.get_future();
  for (bool waiting = false; !waiting; std::this_thread::yield()) {
    const base::Lock lock(mutex);
    waiting = dispatcher->threads_that_wait_for_ends() == 1;
  }
  hold(*queue, {"later"});
  EXPECT_EQ(ended.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  complete_after(1e-6);
  waits.join();
  EXPECT_EQ(device.running.size(), 1u);
}

}  // namespace
}  // namespace heddle::sched
