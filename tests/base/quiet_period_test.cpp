#include "base/quiet_period.hpp"

#include <gtest/gtest.h>

namespace heddle::base {
namespace {

// Each wait takes this long, whatever its deadline is.
class WaitingClock final : public Clock {
 public:
  explicit WaitingClock(std::uint64_t wait_ns) : wait_ns_(wait_ns) {}
  std::uint64_t now_ns() const override { return now_ns_; }
  void wait_until(Lock&, std::condition_variable&, std::uint64_t) const override {
    now_ns_ += wait_ns_;
    ++waits;
  }
  mutable unsigned waits = 0;

 private:
  const std::uint64_t wait_ns_;
  mutable std::uint64_t now_ns_ = 1;
};

constexpr std::uint64_t millisecond = 1'000'000;

unsigned waits_until_over(QuietPeriod& period, const WaitingClock& clock) {
  const unsigned before = clock.waits;
  while (!period.over()) {
  }
  return clock.waits - before;
}

TEST(QuietPeriod, IsOverAfterItsTime) {
  const WaitingClock clock(millisecond);
  QuietPeriod period(clock, 100 * millisecond);
  EXPECT_EQ(waits_until_over(period, clock), 100u);
}

// A wait of 200 milliseconds: the machine is busy, and the thread that would act may have run in none of them.
TEST(QuietPeriod, OthersGetAProcessorOftenWhateverTheTime) {
  const WaitingClock clock(200 * millisecond);
  QuietPeriod period(clock, 100 * millisecond);
  EXPECT_EQ(waits_until_over(period, clock), 50u);
}

TEST(QuietPeriod, BeginsAgainWhenSomethingHappens) {
  const WaitingClock clock(millisecond);
  QuietPeriod period(clock, 100 * millisecond);
  for (int i = 0; i < 99; ++i) EXPECT_FALSE(period.over());
  period.restart();
  EXPECT_EQ(waits_until_over(period, clock), 100u);
}

TEST(QuietPeriod, OfNoTimeIsOverAtOnce) {
  const WaitingClock clock(millisecond);
  QuietPeriod period(clock, 0);
  EXPECT_TRUE(period.over());
  EXPECT_EQ(clock.waits, 0u);
}

}  // namespace
}  // namespace heddle::base
