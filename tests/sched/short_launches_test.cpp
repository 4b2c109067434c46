// What keeps a launch cheap that takes less time than a thread takes to wake up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <utility>

#include "sched/dispatcher.hpp"
#include "sched/fake_work.hpp"
#include "sched/policy/lithos/lithos.hpp"

namespace heddle::sched {
namespace {

using lithos::LithosPolicy;

// Counts how often it is asked; submits all while it is open.
class Counting final : public Policy {
 public:
  Counting(unsigned& asked, bool& open) : asked_(asked), open_(open) {}
  void decide(const View& view, std::vector<Decision>& decisions) override {
    ++asked_;
    for (std::size_t i = 0; open_ && i < view.ready.size(); ++i) decisions.push_back({.task = i});
  }

 private:
  unsigned& asked_;
  bool& open_;
};

class ShortLaunches : public testing::Test {
 protected:
  std::shared_ptr<HeldTask> hold(const std::shared_ptr<HeldTask>& after = nullptr) {
    const base::Lock lock(mutex);
    const std::shared_ptr<HeldTask> parents[] = {after};
    return dispatcher.hold_after(queue, std::make_unique<FakeWork>(device, FakeTask{.name = "k"}), parents);
  }
  void dispatch() {
    const base::Lock lock(mutex);
    dispatcher.dispatch();
  }
  void complete_first() {
    const auto first = device.running.front();
    device.running.pop_front();
    first->complete(clock->now_ns());
  }

  std::shared_ptr<base::ManualClock> clock = std::make_shared<base::ManualClock>();
  std::shared_ptr<base::Watcher> watcher = base::make_watcher(clock);
  base::Mutex mutex;
  FakeDevice device;
  unsigned asked = 0;
  bool open = true;
  Dispatcher dispatcher{std::make_unique<Counting>(asked, open),
                        {{.processors = 4}},
                        [](std::size_t, const std::vector<unsigned>&) { return nullptr; },
                        mutex,
                        watcher};
  LaunchQueue& queue = dispatcher.add_queue("q", 0);
};

TEST_F(ShortLaunches, ThePolicyIsNotAskedForLaunchesThatCannotGo) {
  open = false;
  auto last = hold();
  EXPECT_EQ(asked, 1u);
  for (int i = 0; i < 100; ++i) last = hold(last);
  EXPECT_EQ(asked, 1u);
  open = true;
  dispatch();
  EXPECT_EQ(device.log.size(), 101u);
  while (!device.running.empty()) complete_first();
}

// Ends that the watcher's thread is told of together.
TEST_F(ShortLaunches, ThePolicyIsAskedOnceForEndsThatComeTogether) {
  for (int i = 0; i < 10; ++i) hold();
  open = false;
  const auto held = hold();
  const unsigned before = asked;
  std::promise<void> go;
  watcher->post([done = std::make_shared<std::future<void>>(go.get_future())] { done->wait(); });
  for (int i = 0; i < 10; ++i) watcher->post([this] { complete_first(); });
  go.set_value();
  watcher->drain();
  watcher->drain();
  EXPECT_EQ(asked, before + 1);
  open = true;
  dispatch();
  EXPECT_EQ(held->state, TaskState::submitted);
  complete_first();
  EXPECT_EQ(held->state, TaskState::done);
}

// The launches of one client without tenants have the device for themselves.
TEST(LithosAlone, SubmitsLaunchesOfNoTenant) {
  LithosPolicy policy({});
  const std::vector<DeviceView> devices{{.processors = 4}};
  const QueueView queue;
  const std::vector<TaskView> ready{{.id = 1, .queue = &queue, .left = {0, 8}, .blocks = 8, .divisible = false}};
  std::vector<Decision> decisions;
  policy.decide({1'000'000, ready, devices}, decisions);
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_TRUE(decisions[0].processors.empty());
  EXPECT_EQ(decisions[0].priority, 0);
}

// Each decision looks at all that is in flight, so there is a limit for all queues together. All launches go in the
// end.
TEST(LithosAlone, ManyQueuesHaveALimitTogether) {
  const auto watcher = base::make_watcher(std::make_shared<base::ManualClock>());
  base::Mutex mutex;
  FakeDevice device;
  Dispatcher dispatcher(
      std::make_unique<LithosPolicy>(lithos::Options{}), {{.processors = 4, .on_host = true}},
      [](std::size_t, const std::vector<unsigned>&) { return nullptr; }, mutex, watcher);
  constexpr std::size_t queues = 1000;
  for (std::size_t i = 0; i < queues; ++i) {
    LaunchQueue& queue = dispatcher.add_queue(std::to_string(i), 0);
    const base::Lock lock(mutex);
    const auto first = dispatcher.hold_after(queue, std::make_unique<FakeWork>(device, FakeTask{.name = "k"}), {});
    dispatcher.hold_after(queue, std::make_unique<FakeWork>(device, FakeTask{.name = "k"}), {{first}});
  }
  EXPECT_EQ(device.running.size(), lithos::Options().most_of_tenant);
  while (!device.running.empty()) {
    EXPECT_LE(device.running.size(), lithos::Options().most_of_tenant);
    const auto first = device.running.front();
    device.running.pop_front();
    first->complete(watcher->clock().now_ns());
  }
  EXPECT_EQ(device.log.size(), 2 * queues);
}

// A device on which launches of one block run one after the other, each for so long. Under LithosPolicy.
struct OneQueue {
  explicit OneQueue(bool on_host) : devices{{.processors = 4, .on_host = on_host}} {}
  // Submits what goes now. Returns how many ranges are in flight.
  std::size_t submit() {
    for (;;) {
      const std::vector<TaskView> ready{
          {.id = next, .queue = &queue, .left = {0, 1}, .traits = {.signature = 7}, .ordinal = next}};
      View view{now_ns, ready, devices, tenants, 1};
      view.in_flight = in_flight;
      view.completions = ended;
      std::vector<Decision> decisions;
      policy.decide(view, decisions);
      ended.clear();
      if (decisions.empty()) return in_flight.size();
      in_flight.push_back({.task = next,
                           .queue = queue.id,
                           .tenant = &owner,
                           .blocks = {0, 1},
                           .ordinal = next,
                           .traits = {.signature = 7},
                           .processors = &everywhere,
                           .submitted_ns = now_ns,
                           .last = true,
                           .predicted_seconds = decisions[0].predicted_seconds,
                           .timed = decisions[0].timed,
                           .marked = decisions[0].timed});
      ++next;
    }
  }
  // What is in flight runs. Ends become known up to the last one that is marked.
  void run(std::uint64_t each_ns) {
    std::size_t group = 0;
    for (std::size_t i = 0; i < in_flight.size(); ++i) {
      now_ns += each_ns;
      if (!in_flight[i].marked) continue;
      const bool alone = i == group;
      for (; group <= i; ++group) {
        RangeView range = in_flight[group];
        range.timed = alone;
        ended.push_back({range, std::min(now_ns, std::max(last_ns, range.submitted_ns)), now_ns});
        last_ns = now_ns;
      }
    }
    in_flight.erase(in_flight.begin(), in_flight.begin() + static_cast<std::ptrdiff_t>(group));
  }

  LithosPolicy policy{lithos::Options()};
  const Tenant owner{.settings = {.name = "owner", .quota = 1}};
  const std::vector<const Tenant*> tenants{&owner};
  const QueueView queue{.id = 3, .tenant = &owner};
  const std::vector<DeviceView> devices;
  const std::vector<unsigned> everywhere;
  std::uint64_t now_ns = 1'000'000, last_ns = 0, next = 0;
  std::vector<RangeView> in_flight;
  std::vector<Completion> ended;
};

// On the CPU device short launches go together, as many as the throttle holds, and few of their ends are reported: the
// last one always, or nothing would ask again.
TEST(LithosOnCpu, ShortLaunchesGoTogether) {
  OneQueue bench(true);
  for (int i = 0; i < 20; ++i) {
    bench.submit();
    bench.run(2'000);
  }
  EXPECT_GE(bench.submit(), 40u);
  EXPECT_TRUE(bench.in_flight.back().marked);
  const auto marked = std::count_if(bench.in_flight.begin(), bench.in_flight.end(), [](auto& r) { return r.marked; });
  EXPECT_LE(marked, 5);
}

// The time of each is learnt from the time of all, so that a few slow ones do not hold the others back for ever.
TEST(LithosOnCpu, LearnsFromEndsThatAreReportedTogether) {
  OneQueue bench(true);
  for (int i = 0; i < 20; ++i) {
    bench.submit();
    bench.run(50'000);
  }
  EXPECT_LE(bench.submit(), 3u);
  for (int i = 0; i < 40; ++i) {
    bench.submit();
    bench.run(2'000);
  }
  EXPECT_GE(bench.submit(), 40u);
  for (int i = 0; i < 40; ++i) {
    bench.submit();
    bench.run(80'000);
  }
  EXPECT_LE(bench.submit(), 3u);
}

// Where reports cost, launches that are known are not timed. When those have taken another time than was predicted, the
// next ones are. Otherwise the prediction would stay.
TEST(LithosOnGpu, DoubtsWhatWasNotTimed) {
  OneQueue bench(false);
  const auto rounds = [&](int count, std::uint64_t each_ns) {
    for (int i = 0; i < count; ++i) {
      bench.submit();
      bench.run(each_ns);
      bench.now_ns += 5'000'000;  // the end of those that are not reported is predicted to be over
    }
  };
  rounds(20, 80'000);
  const auto predicted = [&] {
    bench.submit();
    return bench.in_flight.back().predicted_seconds;
  };
  EXPECT_NEAR(predicted(), 80e-6, 8e-6);
  rounds(200, 4'000);
  EXPECT_LT(predicted(), 20e-6);
}

// Submits the first task, whose end is not reported, and then nothing.
class StopsAfterOne final : public Policy {
 public:
  explicit StopsAfterOne(std::optional<std::uint64_t>& wake) : wake_(wake) {}
  void decide(const View&, std::vector<Decision>& decisions) override {
    if (!std::exchange(done_, true)) decisions.push_back({.task = 0, .timed = false});
  }
  std::optional<std::uint64_t> wake_ns(const View&) override { return wake_; }

 private:
  std::optional<std::uint64_t>& wake_;
  bool done_ = false;
};

// Nothing would ask the policy again: the first one ends when a later one of its queue has.
TEST(HeldBehindUntimed, Goes) {
  const auto clock = std::make_shared<base::ManualClock>();
  base::Mutex mutex;
  FakeDevice device;
  std::optional<std::uint64_t> wake = 1'000'000;
  Dispatcher dispatcher{std::make_unique<StopsAfterOne>(wake),
                        {{.processors = 4}},
                        [](std::size_t, const std::vector<unsigned>&) { return nullptr; },
                        mutex,
                        base::make_watcher(clock)};
  LaunchQueue& queue = dispatcher.add_queue("q", 0);
  {
    const base::Lock lock(mutex);
    dispatcher.set_suspended(queue, true);
    const auto first = dispatcher.hold_after(queue, std::make_unique<FakeWork>(device, FakeTask{.name = "a"}), {});
    dispatcher.hold_after(queue, std::make_unique<FakeWork>(device, FakeTask{.name = "b"}), {&first, 1});
    dispatcher.set_suspended(queue, false);
    EXPECT_THAT(device.log, testing::ElementsAre("a[0,1)")) << "the policy has named a time";
    wake.reset();
    dispatcher.dispatch();
    EXPECT_THAT(device.log, testing::ElementsAre("a[0,1)", "b[0,1)"));
  }
  while (!device.running.empty()) {
    device.running.front()->complete(clock->now_ns());
    device.running.pop_front();
  }
  const base::Lock lock(mutex);
  EXPECT_EQ(dispatcher.held(), 0u);
}

}  // namespace
}  // namespace heddle::sched
