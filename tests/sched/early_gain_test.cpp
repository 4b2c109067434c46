// Which kernels are worth beginning early, by what launches of them took.
#include "sched/early_gain.hpp"

#include <gtest/gtest.h>

namespace heddle::tests {
namespace {

TEST(EarlyGain, GoesByWhatLaunchesTookAfterTheirCopies) {
  sched::EarlyGain gain;
  EXPECT_FALSE(gain.wanted());
  gain.add(false, {.kernel = 1, .copy = 1, .tail = 1, .bytes = 1});
  EXPECT_TRUE(gain.wanted());
  gain.add(false, {.kernel = 1, .copy = 1, .tail = 1, .bytes = 1});
  EXPECT_TRUE(gain.measures(true));
  gain.add(true, {.kernel = 1.2, .copy = 1, .tail = 0.2, .bytes = 1});
  gain.add(true, {.kernel = 1.3, .copy = 1, .tail = 0.3, .bytes = 1});
  EXPECT_TRUE(gain.wanted());
  for (int i = 0; i < 20; ++i) gain.add(true, {.kernel = 2.5, .copy = 1, .tail = 1.5, .bytes = 1});
  EXPECT_FALSE(gain.wanted());
  sched::EarlyGain slow_copies;  // pieces that take longer than is won
  slow_copies.add(false, {.kernel = 0.5, .copy = 1, .tail = 0.5, .bytes = 1});
  for (int i = 0; i < 2; ++i) slow_copies.add(true, {.kernel = 2, .copy = 1.5, .tail = 0.1, .bytes = 1});
  EXPECT_FALSE(slow_copies.wanted());
}

TEST(EarlyGain, LeavesKernelsAloneThatAreShortOrLongBesideTheirCopies) {
  sched::EarlyGain short_kernel, short_copy, waiting_copy;
  short_kernel.add(false, {.kernel = 3, .copy = 1, .tail = 3, .bytes = 1e9});  // its code had to be loaded
  EXPECT_TRUE(short_kernel.wanted());
  short_kernel.add(false, {.kernel = 0.05, .copy = 1, .tail = 3, .bytes = 1e9});
  EXPECT_FALSE(short_kernel.wanted());
  short_copy.add(false, {.kernel = 1, .copy = 0.1, .tail = 1, .bytes = 1e9});
  EXPECT_FALSE(short_copy.wanted());
  waiting_copy.add(false, {.kernel = 0.2, .copy = 1, .tail = 1, .bytes = 1e9});
  waiting_copy.add(false, {.kernel = 0.2, .copy = 10, .tail = 1, .bytes = 1e9});  // it waited for others
  EXPECT_TRUE(waiting_copy.wanted());
}

// Where clocks are coarse some times are 0.
TEST(EarlyGain, KernelsTooShortToBeMeasuredAreShort) {
  sched::EarlyGain no_kernel, no_copy;
  no_kernel.add(false, {.kernel = 0, .copy = 1, .tail = 0, .bytes = 1e9});
  EXPECT_FALSE(no_kernel.wanted());
  no_copy.add(false, {.kernel = 0.05, .copy = 1, .tail = 0.05, .bytes = 1e9});
  no_copy.add(false, {.kernel = 0.05, .copy = 0, .tail = 0.05, .bytes = 1e9});
  EXPECT_FALSE(no_copy.wanted());
}

// Ten equal launches, of which so many end while another one's array comes, and the last one's late form waits for
// something else for a while; behind their copies first, then beside them.
sched::EarlyGain of_ten(int hidden, int hidden_at_first, double waits = 0) {
  sched::EarlyGain gain;
  for (int i = 0; i < 10; ++i)
    gain.add(false,
             {.kernel = 0.3, .copy = 1, .tail = 0.3 + (i == 9 ? waits : 0), .bytes = 1, .hidden = i < hidden_at_first});
  EXPECT_TRUE(gain.wanted());
  for (int i = 0; i < 10; ++i) gain.add(true, {.kernel = 1, .copy = 1, .tail = 0.1, .bytes = 1, .hidden = i < hidden});
  return gain;
}

TEST(EarlyGain, LeavesKernelsAloneThatOtherCopiesHide) {
  EXPECT_FALSE(of_ten(9, 9).wanted());
  EXPECT_TRUE(of_ten(5, 5).wanted());
  EXPECT_TRUE(of_ten(0, 0).wanted());
  EXPECT_FALSE(of_ten(9, 9, 1.5).wanted()) << "what it waited for is no time of its own";
}

// The first launches come one by one, each when the host has its memory.
TEST(EarlyGain, GoesByLaterLaunchesInThat) {
  EXPECT_FALSE(of_ten(9, 4).wanted());
  EXPECT_TRUE(of_ten(4, 9).wanted());
}

// What else has to run behind long kernels does, once they have ended.
TEST(EarlyGain, LongKernelsGainWhatHidesThem) {
  sched::EarlyGain gain;
  gain.add(false, {.kernel = 0.4, .copy = 1, .tail = 0.4, .bytes = 1, .hidden = true});
  for (int i = 0; i < 10; ++i) gain.add(true, {.kernel = 1, .copy = 1, .tail = 0.1, .bytes = 1, .hidden = true});
  EXPECT_TRUE(gain.wanted());
}

TEST(EarlyGain, MeasuresFewLaunchesOnceThereWereEnough) {
  sched::EarlyGain gain;
  EXPECT_TRUE(gain.measures(false));
  for (unsigned i = 0; i < sched::EarlyGain::representative; ++i)
    gain.add(false, {.kernel = 0.4, .copy = 1, .tail = 0.4, .bytes = 1});
  EXPECT_FALSE(gain.measures(false));
  for (unsigned i = 0; i < sched::EarlyGain::most; ++i) {
    EXPECT_TRUE(gain.measures(true));
    gain.add(true, {.kernel = 1, .copy = 1, .tail = 0.1, .bytes = 1});
  }
  unsigned measured = 0;
  for (unsigned i = 0; i < 10 * sched::EarlyGain::rare; ++i) measured += gain.measures(true);
  EXPECT_EQ(measured, 10u);
}

// The first copies shared the link.
TEST(EarlyGain, KnowsTheLinkByTheFastestCopy) {
  sched::EarlyGain gain;
  for (int i = 0; i < 2; ++i) gain.add(false, {.kernel = 0.15, .copy = 2, .tail = 0.15, .bytes = 1});
  EXPECT_FALSE(gain.wanted()) << "0.15 of 2";
  gain.add(false, {.kernel = 0.15, .copy = 1, .tail = 0.15, .bytes = 1});
  EXPECT_TRUE(gain.wanted());
}

struct AtTime final : device::Event {
  explicit AtTime(unsigned long long ns, bool is_done = true) : ns_(ns), is_done_(is_done) {}
  bool done() const override { return is_done_; }
  void wait() override {}
  unsigned long long completed_ns() const override { return ns_; }
  std::shared_ptr<const device::EventPoint> point() const override { return nullptr; }
  unsigned long long ns_;
  bool is_done_;
};

TEST(EarlyGain, SeesCopiesOfOtherLaunches) {
  const auto at = [](unsigned long long ns, bool is_done = true) { return std::make_shared<AtTime>(ns, is_done); };
  const auto gain = std::make_shared<sched::EarlyGain>();
  const auto tell = [&](bool early, std::shared_ptr<device::Event> start, std::shared_ptr<device::Event> end) {
    const auto sample = std::make_shared<sched::EarlySample>(), other = std::make_shared<sched::EarlySample>();
    sample->gain = gain;
    sample->bytes = 1000;
    sample->early = early;
    sample->copies.push_back({at(0), at(1000)});
    other->copies.push_back({std::move(start), std::move(end)});
    const std::shared_ptr<const sched::EarlySample> all[] = {other, sample};
    sample->finish(*at(early ? 0 : 1000), *at(1250), all);
  };
  const auto wanted = [&](std::shared_ptr<device::Event> start, std::shared_ptr<device::Event> end) {
    *gain = {};
    tell(false, start, end);
    for (unsigned i = 0; i < sched::EarlyGain::representative; ++i) tell(true, start, end);
    return gain->wanted();
  };
  EXPECT_FALSE(wanted(at(1000), at(2000)));
  EXPECT_FALSE(wanted(at(1000), at(0, false)));     // it is under way still
  EXPECT_TRUE(wanted(at(1000), at(1200)));          // it was over
  EXPECT_TRUE(wanted(at(1600), at(2600)));          // it had not begun
  EXPECT_TRUE(wanted(at(0, false), at(0, false)));  // nor has it yet
}

}  // namespace
}  // namespace heddle::tests
