// When a tenant's launches go, without a driver and without a daemon.
#include "interpose/admission.hpp"

#include <gtest/gtest.h>

#include "interpose/idle_period.hpp"

namespace heddle::interpose {
namespace {

using Verdict = Admission::Verdict;

TEST(Admission, WithoutAGrantEverythingGoes) {
  Admission admission;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(admission.may_go(std::nullopt, 1'000'000'000, 5).verdict, Verdict::go);
    admission.submitted(1'000'000'000);
  }
}

TEST(Admission, NothingGoesWhereNothingIsGranted) {
  Admission admission;
  const auto answer = admission.may_go(Share{0, 0}, 10, 1000);
  EXPECT_EQ(answer.verdict, Verdict::nothing_granted);
  EXPECT_GT(answer.at_ns, 1000U);
}

TEST(Admission, NoMoreIsInFlightThanMayBe) {
  Admission admission;
  const Share all{1, 100};
  EXPECT_EQ(admission.may_go(all, 60, 1).verdict, Verdict::go);
  admission.submitted(60);
  EXPECT_EQ(admission.may_go(all, 50, 1).verdict, Verdict::enough_in_flight);
  EXPECT_EQ(admission.may_go(all, 40, 1).verdict, Verdict::go);
  admission.ended(60, std::nullopt);
  EXPECT_EQ(admission.may_go(all, 50, 1).verdict, Verdict::go);
  EXPECT_EQ(admission.in_flight_ns(), 0U);
}

// One that takes longer than may be in flight goes alone, and so does one whose time is not known.
TEST(Admission, LongAndUnknownWorkGoesAlone) {
  Admission admission;
  const Share all{1, 100};
  EXPECT_EQ(admission.may_go(all, 5000, 1).verdict, Verdict::go);
  EXPECT_EQ(admission.may_go(all, std::nullopt, 1).verdict, Verdict::go);
  admission.submitted(std::nullopt);
  EXPECT_EQ(admission.may_go(all, std::nullopt, 1).verdict, Verdict::enough_in_flight);
  EXPECT_EQ(admission.in_flight(), 1U);
}

// A quarter of the units is a quarter of the time.
TEST(Admission, APartOfTheDeviceIsAPartOfTheTime) {
  Admission admission;
  const Share quarter{0.25, 0};
  constexpr std::uint64_t kernel_ns = 100'000, end_ns = 1'000'000'000;
  std::uint64_t now = 1, used = 0;
  while (now < end_ns) {
    const auto answer = admission.may_go(quarter, kernel_ns, now);
    if (answer.verdict == Verdict::go) {
      admission.submitted(kernel_ns);
      now += kernel_ns;
      used += kernel_ns;
      admission.ended(kernel_ns, std::nullopt);
    } else {
      EXPECT_EQ(answer.verdict, Verdict::over_share);
      EXPECT_GT(answer.at_ns, now);
      now = answer.at_ns;
    }
  }
  EXPECT_NEAR(static_cast<double>(used), 0.25 * end_ns, 0.01 * end_ns);
}

// Of work whose time was not known, the time that was measured counts.
TEST(Admission, MeasuredTimesAreOwed) {
  Admission admission;
  const Share half{0.5, 0};
  EXPECT_EQ(admission.may_go(half, std::nullopt, 1).verdict, Verdict::go);
  admission.submitted(std::nullopt);
  admission.ended(std::nullopt, 1'000'000);
  EXPECT_EQ(admission.may_go(half, 1, 2).verdict, Verdict::over_share);
  EXPECT_EQ(admission.may_go(half, 1, 1'900'000).verdict, Verdict::over_share);
  EXPECT_EQ(admission.may_go(half, 1, 2'100'000).verdict, Verdict::go);
}

// What is not used for long is not saved without a bound, and what was used while nobody else had work is not owed.
TEST(Admission, SavingsAndDebtsHaveBounds) {
  Admission admission;
  const Share half{0.5, 0}, all{1, 0};
  admission.may_go(half, 1, 1);
  admission.may_go(half, 1, 60'000'000'000);
  admission.submitted(10'000'000);  // beyond the two milliseconds that were saved
  EXPECT_EQ(admission.may_go(half, 1, 60'000'000'001).verdict, Verdict::over_share);
  EXPECT_EQ(admission.may_go(all, 1, 60'000'000'002).verdict, Verdict::go);
  EXPECT_EQ(admission.may_go(half, 1, 60'000'000'003).verdict, Verdict::go);
}

// What it did not use while the device was its own it must not use beside the one that the device belongs to.
TEST(Admission, NothingIsSavedWhileTheDeviceIsItsOwn) {
  Admission admission;
  const Share all{1, 100'000}, little{0.04, 100'000};
  EXPECT_EQ(admission.may_go(all, 50'000, 1'000'000).verdict, Verdict::go);
  EXPECT_EQ(admission.may_go(all, 50'000, 9'000'000).verdict, Verdict::go);
  EXPECT_EQ(admission.may_go(little, 50'000, 9'000'001).verdict, Verdict::go);
  admission.submitted(50'000);
  admission.ended(50'000, std::nullopt);
  EXPECT_EQ(admission.may_go(little, 50'000, 9'100'000).verdict, Verdict::over_share);
  EXPECT_EQ(admission.may_go(little, 50'000, 10'300'000).verdict, Verdict::go);
}

TEST(Durations, AreOfAKernelAndItsShape) {
  Durations durations;
  const int kernel = 0;
  const WorkKey one{&kernel, 10, 256, 0}, other{&kernel, 20, 256, 0};
  EXPECT_FALSE(durations.predict(one));
  EXPECT_TRUE(durations.to_measure(one));
  durations.measured(one, 1000);
  EXPECT_EQ(durations.predict(one), 1000U);
  EXPECT_FALSE(durations.predict(other));
  durations.forget();
  EXPECT_FALSE(durations.predict(one));
}

TEST(Durations, AShorterTimeCountsAtOnceAndALongerOneLittle) {
  Durations durations;
  const WorkKey key{nullptr, 1, 1, 0};
  durations.measured(key, 1000);
  durations.measured(key, 800);
  EXPECT_EQ(durations.predict(key), 800U);
  durations.measured(key, 8800);
  EXPECT_EQ(durations.predict(key), 1800U);
}

TEST(Durations, AreMeasuredNowAndThen) {
  Durations durations;
  const WorkKey key{nullptr, 1, 1, 0};
  int measured = 0;
  for (int i = 0; i < 2 + 64 * 10; ++i)
    if (durations.to_measure(key)) {
      ++measured;
      durations.measured(key, 100);
    }
  EXPECT_EQ(measured, 2 + 10);
}

// Launches of 12 us each, of which the GPU has ended whenever it is looked at.
TEST(IdlePeriod, BeginsWithTheLastWork) {
  constexpr std::uint64_t linger = 50;
  IdlePeriod idle;
  idle.look(true, true, 1000);
  EXPECT_EQ(idle.since_ns(), 0U);
  for (std::uint64_t now = 1050; now < 2000; now += 50) {
    idle.look(false, true, now);
    EXPECT_FALSE(idle.lasts(linger, now)) << now;
    EXPECT_EQ(idle.pause_ns(linger, 200), now == 1050 ? 50U : now == 1100 ? 100U : 200U);
  }
  idle.look(false, false, 2000);  // nothing came since the look at 1950
  EXPECT_EQ(idle.since_ns(), 1950U);
  EXPECT_TRUE(idle.lasts(linger, 2000));
  EXPECT_EQ(idle.pause_ns(linger, 200), 50U);
  idle.end();
  EXPECT_FALSE(idle.lasts(linger, 3000));
  idle.look(false, false, 3000);
  EXPECT_EQ(idle.since_ns(), 3000U);
}

}  // namespace
}  // namespace heddle::interpose
