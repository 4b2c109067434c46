// Which kernels are worth beginning early, by what launches of them took.
#include "runtime/early_gain.hpp"

#include <gtest/gtest.h>

namespace heddle::tests {
namespace {

TEST(EarlyGain, GoesByWhatLaunchesTookAfterTheirCopies) {
  runtime::EarlyGain gain;
  EXPECT_FALSE(gain.wanted());
  gain.tell(false, {.kernel = 1, .copy = 1, .tail = 1, .bytes = 1});
  EXPECT_TRUE(gain.wanted());
  gain.tell(false, {.kernel = 1, .copy = 1, .tail = 1, .bytes = 1});
  EXPECT_TRUE(gain.measures());
  gain.tell(true, {.kernel = 1.2, .copy = 1, .tail = 0.2, .bytes = 1});
  gain.tell(true, {.kernel = 1.3, .copy = 1, .tail = 0.3, .bytes = 1});
  EXPECT_TRUE(gain.wanted());
  EXPECT_FALSE(gain.measures());
  for (int i = 0; i < 20; ++i) gain.tell(true, {.kernel = 2.5, .copy = 1, .tail = 1.5, .bytes = 1});
  EXPECT_FALSE(gain.wanted());
  runtime::EarlyGain slow_copies;  // pieces that take longer than is won
  slow_copies.tell(false, {.kernel = 0.5, .copy = 1, .tail = 0.5, .bytes = 1});
  for (int i = 0; i < 2; ++i) slow_copies.tell(true, {.kernel = 2, .copy = 1.5, .tail = 0.1, .bytes = 1});
  EXPECT_FALSE(slow_copies.wanted());
}

TEST(EarlyGain, LeavesKernelsAloneThatAreShortOrLongBesideTheirCopies) {
  runtime::EarlyGain short_kernel, short_copy, waiting_copy;
  short_kernel.tell(false, {.kernel = 3, .copy = 1, .tail = 3, .bytes = 1e9});  // its code had to be loaded
  EXPECT_TRUE(short_kernel.wanted());
  short_kernel.tell(false, {.kernel = 0.05, .copy = 1, .tail = 3, .bytes = 1e9});
  EXPECT_FALSE(short_kernel.wanted());
  short_copy.tell(false, {.kernel = 1, .copy = 0.1, .tail = 1, .bytes = 1e9});
  EXPECT_FALSE(short_copy.wanted());
  waiting_copy.tell(false, {.kernel = 0.2, .copy = 1, .tail = 1, .bytes = 1e9});
  waiting_copy.tell(false, {.kernel = 0.2, .copy = 10, .tail = 1, .bytes = 1e9});  // it waited for others
  EXPECT_TRUE(waiting_copy.wanted());
}

// Of ten equal launches nine run while another one's array comes.
TEST(EarlyGain, LeavesKernelsAloneThatOtherCopiesHide) {
  runtime::EarlyGain all_but_one, half;
  for (int i = 0; i < 10; ++i)
    all_but_one.tell(false, {.kernel = 0.3, .copy = 1, .tail = 0.3, .bytes = 1, .hidden = i < 9});
  EXPECT_FALSE(all_but_one.wanted());
  for (int i = 0; i < 10; ++i) half.tell(false, {.kernel = 0.3, .copy = 1, .tail = 0.3, .bytes = 1, .hidden = i < 5});
  EXPECT_TRUE(half.wanted());
  runtime::EarlyGain waited;  // the last one for something else, which is no time of its own
  for (int i = 0; i < 10; ++i)
    waited.tell(false, {.kernel = 0.3, .copy = 1, .tail = i < 9 ? 0.3 : 1.8, .bytes = 1, .hidden = i < 9});
  EXPECT_FALSE(waited.wanted());
}

// The first launches wait for their memory, one by one.
TEST(EarlyGain, GoesByLaterLaunchesOnceThereAreSome) {
  runtime::EarlyGain first_apart, always_apart;
  for (runtime::EarlyGain* gain : {&first_apart, &always_apart})
    for (int i = 0; i < 10; ++i)
      gain->tell(false, {.kernel = 0.3, .copy = 1, .tail = 0.3, .bytes = 1, .hidden = i < 4});
  EXPECT_TRUE(first_apart.wanted());
  for (int i = 0; i < 10; ++i) {
    first_apart.tell(true, {.kernel = 1, .copy = 1, .tail = 0.1, .bytes = 1, .hidden = i < 9});
    always_apart.tell(true, {.kernel = 1, .copy = 1, .tail = 0.1, .bytes = 1});
  }
  EXPECT_FALSE(first_apart.wanted());
  EXPECT_TRUE(always_apart.wanted());
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
  const auto wanted = [&](std::shared_ptr<device::Event> start, std::shared_ptr<device::Event> end) {
    const auto sample = std::make_shared<runtime::EarlySample>(), other = std::make_shared<runtime::EarlySample>();
    sample->gain = std::make_shared<runtime::EarlyGain>();
    sample->bytes = 1000;
    sample->copies.push_back({at(0), at(1000)});
    other->copies.push_back({std::move(start), std::move(end)});
    const std::shared_ptr<const runtime::EarlySample> all[] = {other, sample};
    sample->tell(*at(1000), *at(1500), all);
    return sample->gain->wanted();
  };
  EXPECT_FALSE(wanted(at(1000), at(2000)));
  EXPECT_FALSE(wanted(at(1000), at(0, false)));     // it is under way still
  EXPECT_TRUE(wanted(at(1000), at(1200)));          // it was over
  EXPECT_TRUE(wanted(at(1600), at(2600)));          // it had not begun
  EXPECT_TRUE(wanted(at(0, false), at(0, false)));  // nor has it yet
}

}  // namespace
}  // namespace heddle::tests
