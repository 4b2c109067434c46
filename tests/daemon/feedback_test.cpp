#include "daemon/feedback.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "daemon/arbiter.hpp"
#include "tenancy/random.hpp"

namespace heddle::daemon {
namespace {

using sched::TenantClass;

// A latency tenant that always has work. Its rate varies, and falls with what guests have.
class Owner {
 public:
  static constexpr std::uint64_t step_ns = 5'000'000;

  const Progress& run(double slowdown) {
    const double launches = 125 / slowdown * (1 + 0.02 * (random_.uniform() - 0.5));
    launches_ += launches;
    progress_.launches = static_cast<std::uint64_t>(launches_);
    progress_.busy_ns += step_ns;
    progress_.device_ns += static_cast<std::uint64_t>(device_part * step_ns);
    return progress_;
  }
  double device_part = 0;  // of the time in which the GPU has work

 private:
  tenancy::Random random_{7};
  double launches_ = 0;
  Progress progress_;
};

struct Settled {
  double part = 0, slowdown = 0;  // means of the last half
};

// `slowdown(part)`: what guests with this part do to the owner.
Settled run(Feedback& feedback, Owner& owner, double seconds, const std::function<double(double)>& slowdown) {
  const int steps = static_cast<int>(seconds * 1e9 / Owner::step_ns);
  Settled result;
  int counted = 0;
  for (int i = 0; i < steps; ++i) {
    const double part = feedback.part(), hurt = slowdown(std::min(part, 1.0));
    feedback.look(owner.run(hurt), true);
    if (i < steps / 2) continue;
    result.part += part;
    result.slowdown += hurt;
    ++counted;
  }
  result.part /= counted;
  result.slowdown /= counted;
  return result;
}

TEST(Feedback, GivesNothingBeforeItHasMeasured) {
  Feedback feedback;
  Owner owner;
  EXPECT_EQ(feedback.part(), 0);
  for (int i = 0; i < 10; ++i) feedback.look(owner.run(1), true);
  EXPECT_EQ(feedback.part(), 0);
  double most = 0;
  for (int i = 0; i < 10; ++i) {
    feedback.look(owner.run(1), true);
    most = std::max(most, feedback.part());
  }
  EXPECT_GT(most, 0);
}

TEST(Feedback, GivesAllWhereNothingIsHurt) {
  Feedback feedback;
  Owner owner;
  const Settled settled = run(feedback, owner, 10, [](double part) { return 1 + 0.01 * part; });
  EXPECT_GT(settled.part, Feedback::unthrottled) << "with the measurements alone";
}

TEST(Feedback, KeepsTheSlowdownWhereGuestsHurt) {
  for (const double harm : {0.05, 0.1, 0.2}) {
    Feedback feedback;
    Owner owner;
    const Settled settled = run(feedback, owner, 20, [&](double part) { return 1 + harm * part; });
    EXPECT_LE(settled.slowdown, 1.04) << harm;
    EXPECT_GE(settled.part, 0.5 * 0.03 / harm) << harm;
  }
}

// What an owner that fills the device gives away it loses: nearly nothing is lent, and tries become rare.
TEST(Feedback, LendsNothingWhereGuestsHurtMuch) {
  for (const double harm : {1.0, 3.0}) {
    Feedback feedback;
    Owner owner;
    const Settled settled = run(feedback, owner, 40, [&](double part) { return 1 + harm * part; });
    EXPECT_LE(settled.slowdown, 1 + 0.01 * harm) << harm;
    EXPECT_LE(settled.part, 0.01) << harm;
  }
}

// Requests that wait for each other must not notice the tries: each is short, and lends little.
TEST(Feedback, TriesAreShortAndSmall) {
  Feedback feedback;
  Owner owner;
  double lent = 0, most = 0;
  constexpr int steps = 1000;
  for (int i = 0; i < steps; ++i) {
    lent += feedback.part();
    most = std::max(most, feedback.part());
    feedback.look(owner.run(1 + feedback.part()), true);
  }
  EXPECT_GT(lent, 0);
  EXPECT_LT(lent / steps, 0.004);
  EXPECT_LE(most, 0.1);
}

TEST(Feedback, DoesNotTryWhereTheOwnerLeavesTheDeviceNoTime) {
  Feedback feedback;
  Owner owner;
  owner.device_part = 0.95;
  for (int i = 0; i < 1000; ++i) {
    feedback.look(owner.run(1), true);
    ASSERT_EQ(feedback.part(), 0) << i;
  }
  owner.device_part = 0.5;
  EXPECT_GT(run(feedback, owner, 10, [](double part) { return 1 + 0.01 * part; }).part, Feedback::unthrottled);
}

TEST(Feedback, FollowsAChange) {
  Feedback feedback;
  Owner owner;
  run(feedback, owner, 5, [](double) { return 1.0; });
  EXPECT_GT(run(feedback, owner, 2, [](double) { return 1.0; }).part, 1);
  EXPECT_LT(run(feedback, owner, 4, [](double part) { return 1 + part; }).part, 0.1) << "after two seconds";
  EXPECT_GT(run(feedback, owner, 20, [](double) { return 1.0; }).part, 1);
}

// The host is as fast or half as fast from one second to the next, and faster or slower from one window to the next.
TEST(Feedback, NoiseOfTheHostIsNoHarm) {
  tenancy::Random random(3);
  for (const auto& [harm, noise] : {std::pair{0.02, 0.1}, {2.0, 0.1}, {0.02, 0.3}, {2.0, 0.3}}) {
    Feedback feedback;
    Owner owner;
    double host = 1, window = 1, lent = 0, hurt = 0;
    constexpr int steps = 8000;  // 40 s
    for (int i = 0; i < steps; ++i) {
      if (i % 200 == 0) host = random.uniform() < 0.5 ? 1 : 2;
      if (i % 12 == 0) window = 1 + noise * (2 * random.uniform() - 1);
      const double slower = 1 + harm * std::min(feedback.part(), 1.0);
      lent += std::min(feedback.part(), 1.0) / steps;
      hurt += slower / steps;
      feedback.look(owner.run(host * window * slower), true);
    }
    if (harm < 1) {
      EXPECT_GT(lent, 0.6) << "little is lost beside noise";
    } else {
      EXPECT_LT(hurt, 1.15) << "much is lost, with or without noise";
    }
  }
}

// A training program prepares its next step on the host, and has no work for the GPU meanwhile.
TEST(Feedback, GuestsThatPauseAreGuests) {
  Feedback feedback;
  Owner owner;
  double lent = 0;
  constexpr int steps = 1000;
  for (int i = 0; i < steps; ++i) {
    lent += std::min(feedback.part(), 1.0) / steps;
    feedback.look(owner.run(1), i % 6 != 0);
  }
  EXPECT_GT(lent, 0.5);
}

// A program with other kernels from some moment on: its rate alone is measured again.
TEST(Feedback, MeasuresTheRateAloneAgain) {
  Feedback feedback;
  Owner owner;
  run(feedback, owner, 5, [](double) { return 1.0; });
  EXPECT_GT(run(feedback, owner, 40, [](double) { return 1.5; }).part, 1) << "guests have nothing to do with it";
}

TEST(Feedback, HasNoGuestsWhileThereAreNone) {
  Feedback feedback;
  Owner owner;
  for (int i = 0; i < 1000; ++i) {
    feedback.look(owner.run(1), false);
    ASSERT_EQ(feedback.part(), 0);
  }
  feedback.look({}, true);  // its process has ended, and another begins
  EXPECT_EQ(feedback.part(), 0);
}

TenantState whole(std::uint64_t id, TenantClass kind, double quota, const Progress& progress = {}) {
  return {{.name = "t", .kind = kind, .quota = quota}, true, id, true, progress};
}

TEST(Arbiter, GuestsOfAWholeOwnerGetTimeByFeedback) {
  const auto arbiter = make_arbiter("lithos");
  Owner owner;
  std::vector<TenantState> tenants = {whole(1, TenantClass::latency, 1), whole(2, TenantClass::batch, 0),
                                      whole(3, TenantClass::batch, 0)};
  auto grants = arbiter->decide(tenants, 66, 0);
  EXPECT_EQ(grants[0].units.count(), 66u);
  EXPECT_TRUE(grants[1].units.none());
  EXPECT_TRUE(arbiter->wake_ns().has_value());
  for (std::uint64_t step = 1; step < 16; ++step) {
    tenants[0].progress = owner.run(1);
    grants = arbiter->decide(tenants, 66, step * Owner::step_ns);
  }
  EXPECT_EQ(grants[0].units.count(), 66u);
  EXPECT_EQ(grants[1].units.count(), 1u) << "half of 4 %";
  EXPECT_EQ(grants[2].units.count(), 1u);
  EXPECT_NE(grants[1].throttle_ns, 0u);
  EXPECT_NE(arbiter->rule().find("4 % of the time beside 't'"), std::string::npos) << arbiter->rule();
  // It would take long: the owner is not hurt.
  bool all = false;
  for (std::uint64_t step = 16; step < 600; ++step) {
    tenants[0].progress = owner.run(1);
    grants = arbiter->decide(tenants, 66, step * Owner::step_ns);
    all |= grants[1].units.count() == 33 && grants[1].throttle_ns == 0;
  }
  EXPECT_TRUE(all);
  // Guests that can be placed get what the owner leaves, and no more.
  tenants[1].whole = false;
  EXPECT_TRUE(arbiter->decide(tenants, 66, 0)[1].units.none());
}

}  // namespace
}  // namespace heddle::daemon
