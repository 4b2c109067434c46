#include "daemon/arbiter.hpp"

#include <gtest/gtest.h>

#include "daemon/policies.hpp"
#include "heddle/error.hpp"
#include "tenancy/random.hpp"

namespace heddle::daemon {
namespace {

using sched::TenantClass;

TenantState tenant(double quota, bool awake, TenantClass kind = TenantClass::batch) {
  return {{.name = "t", .kind = kind, .quota = quota}, awake};
}

TEST(Arbiter, AllThatAreKnownCanBeMade) {
  for (const KnownPolicy& policy : known_policies()) {
    const std::string name(policy.name);
    EXPECT_NE(make_arbiter(name), nullptr) << name;
    if (policy.parameter.empty())
      EXPECT_THROW(make_arbiter(name + ":2000"), Error) << name;
    else
      EXPECT_NE(make_arbiter(name + ":2000"), nullptr) << name;
  }
}

TEST(Arbiter, WhoIsAwakeHasItsOwn) {
  const auto grants = arbitrate({tenant(0.75, true, TenantClass::latency), tenant(0.25, true)}, 64);
  EXPECT_EQ(grants[0].units.count(), 48u);
  EXPECT_EQ(grants[1].units.count(), 16u);
  EXPECT_TRUE((grants[0].units & grants[1].units).none());
}

TEST(Arbiter, UnitsOfThoseWhoSleepAreLent) {
  const auto grants = arbitrate({tenant(0.75, false, TenantClass::latency), tenant(0, true), tenant(0, true)}, 64);
  EXPECT_EQ(grants[0].units.count(), 48u) << "it can start at once";
  EXPECT_EQ(grants[1].units.count(), 32u);
  EXPECT_EQ(grants[2].units.count(), 32u);
  EXPECT_TRUE((grants[1].units & grants[2].units).none());
}

TEST(Arbiter, WhoIsAloneHasAll) {
  EXPECT_EQ(arbitrate({tenant(0.25, true, TenantClass::latency), tenant(0.75, false)}, 2)[0].units.count(), 2u);
  EXPECT_EQ(arbitrate({tenant(0, true)}, 66)[0].units.count(), 66u);
  EXPECT_TRUE(arbitrate({}, 66).empty());
}

// With whatever tenants: owners that are awake have their units, and nobody else has one of these.
TEST(Arbiter, NobodyGetsWhatAnAwakeOwnerHas) {
  tenancy::Random random(3);
  for (int round = 0; round < 2000; ++round) {
    std::vector<TenantState> tenants(random.next() % 9);
    for (TenantState& each : tenants)
      each = tenant(random.next() % 3 == 0 ? 0 : random.uniform() * 0.6, random.next() % 2 == 0,
                    random.next() % 2 == 0 ? TenantClass::latency : TenantClass::batch);
    const unsigned units = 1 + static_cast<unsigned>(random.next() % 132);
    const auto grants = arbitrate(tenants, units);
    ASSERT_EQ(grants.size(), tenants.size());
    auto asleep = tenants;
    for (TenantState& each : asleep) each.awake = false;
    const auto own = arbitrate(asleep, units);
    for (std::size_t i = 0; i < tenants.size(); ++i) {
      ASSERT_TRUE((grants[i].units >> units).none());
      ASSERT_EQ(grants[i].units & own[i].units, own[i].units);
      if (!tenants[i].awake) continue;
      for (std::size_t other = 0; other < tenants.size(); ++other)
        ASSERT_TRUE(other == i || (own[i].units & grants[other].units).none());
    }
  }
}

TEST(Arbiter, WhoComesLateGetsWhatIsLeft) {
  const auto grants = arbitrate({tenant(0.5, true), tenant(1, true), tenant(0.25, true)}, 8);
  EXPECT_EQ(grants[0].units.count(), 4u);
  EXPECT_EQ(grants[1].units.count(), 4u);
  EXPECT_EQ(grants[2].units.count(), 0u);
}

}  // namespace
}  // namespace heddle::daemon
