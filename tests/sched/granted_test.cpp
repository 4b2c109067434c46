// A policy within a grant: it sees the granted processors only, and nothing is submitted elsewhere.
#include "sched/policy/granted.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "sched/make_policy.hpp"

namespace heddle::sched {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct FakeGrants final : Grants {
  std::optional<Allowance> now;
  std::vector<Submitted> told;
  std::vector<std::string> names;
  std::optional<Allowance> allowance() override { return now; }
  void submitted(const Submitted& range) override {
    told.push_back(range);
    names.emplace_back(range.name);
  }
  void ended(const Completion&) override {}
  void load(std::size_t, std::size_t) override {}
};

// Notes what it is shown, and submits the first task to some of the processors that it sees.
class Recording final : public Policy {
 public:
  void decide(const View& view, std::vector<Decision>& decisions) override {
    processors = view.devices[0].processors;
    version = view.tenants_version;
    sets.clear();
    for (const RangeView& range : view.in_flight) sets.push_back(*range.processors);
    for (const Completion& completion : view.completions) ended.push_back(completion.range.processors->size());
    if (submits) decisions.push_back({.task = 0, .blocks = 2, .processors = chosen, .predicted_seconds = 1e-4});
  }
  std::optional<std::uint64_t> wake_ns(const View&) override { return wake; }
  std::optional<std::uint64_t> wake;
  unsigned processors = 0;
  std::uint64_t version = 0;
  std::vector<std::vector<unsigned>> sets;
  std::vector<std::size_t> ended;
  std::vector<unsigned> chosen;
  bool submits = true;
};

class Granted : public testing::Test {
 protected:
  Granted() {
    auto own = std::make_unique<Recording>();
    inner = own.get();
    policy = std::make_unique<GrantedPolicy>(std::move(own), grants);
  }
  std::vector<Decision> decide() {
    std::vector<Decision> decisions;
    policy->decide(view(), decisions);
    return decisions;
  }
  View view() {
    View made{1'000, tasks, devices};
    made.in_flight = in_flight;
    made.completions = completions;
    return made;
  }
  void grant(std::vector<bool> units, bool paced = true) {
    grants->now = Allowance{.units = std::move(units), .paced = paced};
  }

  std::shared_ptr<FakeGrants> grants = std::make_shared<FakeGrants>();
  Recording* inner;
  std::unique_ptr<GrantedPolicy> policy;
  Tenant tenant{.settings = {.name = "search", .kind = TenantClass::latency}};
  QueueView queue{.id = 0, .name = "q", .tenant = &tenant};
  std::vector<TaskView> tasks{
      {.id = 1, .name = "k", .queue = &queue, .left = {4, 12}, .blocks = 12, .divisible = true}};
  std::vector<DeviceView> devices{{.processors = 8}};
  std::vector<RangeView> in_flight;
  std::vector<Completion> completions;
};

TEST_F(Granted, WithoutAGrantAllGoesAtOnce) {
  const auto decisions = decide();
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_EQ(decisions[0].blocks, 0u);
  EXPECT_THAT(decisions[0].processors, IsEmpty());
  EXPECT_EQ(decisions[0].priority, 0);
  EXPECT_FALSE(policy->withholds());
  EXPECT_FALSE(policy->wake_ns(view()));
  EXPECT_EQ(grants->told.at(0).why, Submitted::Why::alone);
}

TEST_F(Granted, TheOwnPolicySeesAndUsesTheGrantedProcessorsOnly) {
  grant({false, true, false, false, true, true, false, false});
  inner->chosen = {0, 2};
  auto decisions = decide();
  EXPECT_EQ(inner->processors, 3u);
  EXPECT_THAT(decisions.at(0).processors, ElementsAre(1, 5));
  inner->chosen.clear();
  decisions = decide();
  EXPECT_THAT(decisions.at(0).processors, ElementsAre(1, 4, 5)) << "the whole device is what is granted of it";
  const Submitted& told = grants->told.back();
  EXPECT_EQ(told.blocks.begin, 4u);
  EXPECT_EQ(told.blocks.end, 6u);
  EXPECT_EQ(told.units, 3u);
  EXPECT_EQ(told.of_units, 8u);
  EXPECT_EQ(told.why, Submitted::Why::part);
  const std::uint64_t version = inner->version;
  grant(std::vector<bool>(8, true));
  decisions = decide();
  EXPECT_THAT(decisions.at(0).processors, IsEmpty());
  EXPECT_NE(inner->version, version) << "what was made of the processors has to be made again";
}

TEST_F(Granted, UnitsOfAnotherNumberAreThePart) {
  grant({true, false, false, true});
  decide();
  EXPECT_EQ(inner->processors, 4u);
  inner->chosen = {0, 1, 2, 3};
  EXPECT_THAT(decide().at(0).processors, ElementsAre(0, 1, 6, 7));
  devices[0] = {.processors = 7, .grain = 2};  // TPCs of two SMs, the last one of one
  grant({false, false, true, true});
  inner->chosen.clear();
  EXPECT_THAT(decide().at(0).processors, ElementsAre(4, 5, 6));
}

TEST_F(Granted, RangesAreShownByTheNumbersOfTheGrant) {
  const std::vector<unsigned> some{1, 4}, gone{0}, whole;
  in_flight = {{.processors = &some}, {.processors = &gone}, {.processors = &whole}};
  completions = {{.range = {.processors = &whole}}, {.range = {.processors = &some}}};
  grant({false, true, false, false, true, true, false, false});
  decide();
  EXPECT_THAT(inner->sets, ElementsAre(ElementsAre(0, 1), ElementsAre(0), IsEmpty()));
  EXPECT_THAT(inner->ended, ElementsAre(8u, 2u)) << "on how many processors it ran";
}

TEST_F(Granted, LaunchesAtOnceGoWholeAndWithPriority) {
  grant({true, true, false, false, false, false, false, false}, false);
  const auto decisions = decide();
  EXPECT_EQ(decisions.at(0).blocks, 0u);
  EXPECT_THAT(decisions[0].processors, ElementsAre(0, 1));
  EXPECT_EQ(decisions[0].priority, 1);
  EXPECT_EQ(inner->processors, 0u) << "it is not asked";
  grants->now->priority = false;
  EXPECT_EQ(decide().at(0).priority, 0);
}

TEST_F(Granted, WithoutUnitsNothingGoesAndItLooksAgain) {
  grant(std::vector<bool>(8, false));
  tasks[0].required = true;
  EXPECT_THAT(decide(), IsEmpty());
  EXPECT_TRUE(policy->withholds());
  ASSERT_TRUE(policy->wake_ns(view()));
  EXPECT_LE(*policy->wake_ns(view()), 1'000u + 1'000'000);
  // When the own policy wanted to be asked again does not count: it is not asked.
  inner->wake = 500;
  EXPECT_GT(*policy->wake_ns(view()), 1'000u);
  grant(std::vector<bool>(8, true));
  decide();
  EXPECT_EQ(policy->wake_ns(view()), 500u);
}

// The dispatcher would submit it to the whole device.
TEST_F(Granted, WhatAThreadWaitsForGoesToTheGrantedProcessors) {
  grant({true, false, false, false, false, false, false, false});
  inner->submits = false;
  EXPECT_THAT(decide(), IsEmpty());
  tasks[0].required = true;
  const auto decisions = decide();
  EXPECT_THAT(decisions.at(0).processors, ElementsAre(0));
  EXPECT_EQ(grants->told.back().why, Submitted::Why::waited);
}

}  // namespace
}  // namespace heddle::sched
