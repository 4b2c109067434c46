// What policies see of tenants, ranges in flight and completions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/dispatcher.hpp"
#include "sched/fake_work.hpp"

namespace heddle::sched {
namespace {

using testing::ElementsAre;

struct Seen {
  std::vector<std::string> in_flight, completions, tenants;
  std::vector<std::uint64_t> ordinals;
};

// Submits two blocks of the first task at a time, and writes down what it sees.
class Observer final : public Policy {
 public:
  explicit Observer(Seen& seen) : seen_(seen) {}
  bool sees_ranges() const override { return true; }
  void decide(const View& view, std::vector<Decision>& decisions) override {
    seen_.in_flight.clear();
    seen_.tenants.clear();
    for (const RangeView& range : view.in_flight)
      seen_.in_flight.push_back(std::to_string(range.blocks.begin) + "-" + std::to_string(range.blocks.end) + " on " +
                                std::to_string(range.processors->size()));
    for (const Completion& completion : view.completions)
      seen_.completions.push_back(std::to_string(completion.range.blocks.begin) + " took " +
                                  std::to_string(completion.end_ns - completion.start_ns));
    for (const Tenant* tenant : view.tenants)
      seen_.tenants.push_back(tenant->settings.name + (tenant->awake() ? " awake" : " asleep"));
    if (view.ready.empty() || view.in_flight.size() >= 2) return;
    seen_.ordinals.push_back(view.ready[0].ordinal);
    decisions.push_back({.task = 0, .blocks = 2, .processors = {0, 1}, .predicted_seconds = 1e-6});
  }

 private:
  Seen& seen_;
};

class TenantViewTest : public testing::Test {
 protected:
  std::shared_ptr<HeldTask> hold(LaunchQueue& queue, std::uint64_t blocks,
                                 const std::shared_ptr<HeldTask>& after = nullptr) {
    const base::Lock lock(mutex);
    const std::shared_ptr<HeldTask> parents[] = {after};
    return dispatcher.hold_after(queue, std::make_unique<FakeWork>(device, FakeTask{.name = "k", .blocks = blocks}),
                                 parents);
  }
  void complete() {
    clock->advance(1000);
    const auto first = device.running.front();
    device.running.pop_front();
    first->complete(clock->now_ns());
  }

  std::shared_ptr<base::ManualClock> clock = std::make_shared<base::ManualClock>();
  std::shared_ptr<base::Watcher> watcher = base::make_watcher(clock);
  base::Mutex mutex;
  FakeDevice device;
  Seen seen;
  Dispatcher dispatcher{std::make_unique<Observer>(seen),
                        {{.processors = 4, .grain = 2}},
                        [](std::size_t, const std::vector<unsigned>&) { return nullptr; },
                        mutex,
                        watcher};
  Tenant& tenant = dispatcher.add_tenant({.name = "search", .kind = TenantClass::latency, .quota = 0.5});
  LaunchQueue& queue = dispatcher.add_queue("q", 0, &tenant);
};

TEST_F(TenantViewTest, RangesInFlightAndTheirTimesAreSeen) {
  hold(queue, 6);
  EXPECT_THAT(seen.in_flight, ElementsAre("0-2 on 2", "2-4 on 2"));
  EXPECT_THAT(seen.tenants, ElementsAre("search awake"));
  complete();
  EXPECT_THAT(seen.completions, ElementsAre("0 took 1000"));
  complete();
  complete();
  EXPECT_FALSE(tenant.awake());
}

// The second range of a queue starts when the first has ended, whatever was submitted when.
TEST_F(TenantViewTest, ARangeStartsAtTheEndOfTheOneBefore) {
  hold(queue, 4);
  complete();
  complete();
  hold(queue, 2);
  EXPECT_THAT(seen.completions, ElementsAre("0 took 1000", "2 took 1000"));
  complete();
}

TEST_F(TenantViewTest, OrdinalsCountFromTheLastSynchronisation) {
  hold(queue, 2);
  complete();
  hold(queue, 2);
  complete();
  dispatcher.begin_batch(queue);
  hold(queue, 2);
  complete();
  EXPECT_THAT(seen.ordinals, ElementsAre(0, 1, 0));
}

TEST_F(TenantViewTest, CompletionsOutliveTheirTenant) {
  Tenant& other = dispatcher.add_tenant({.name = "other"});
  LaunchQueue& its = dispatcher.add_queue("o", 0, &other);
  hold(its, 2);
  complete();
  dispatcher.remove_queue(its);
  dispatcher.remove_tenant(other);
  hold(queue, 2);
  EXPECT_THAT(seen.completions, ElementsAre("0 took 1000"));
  EXPECT_THAT(seen.tenants, ElementsAre("search awake"));
  complete();
}

}  // namespace
}  // namespace heddle::sched
