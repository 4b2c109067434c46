// Launches that begin before their arrays have come from the host, on a device of threads.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "heddle/array.hpp"
#include "heddle/error.hpp"
#include "heddle/module.hpp"
#include "ptx/parser.hpp"
#include "random_programs/thread_device.hpp"
#include "runtime/awaiting_form.hpp"
#include "runtime/buffer.hpp"
#include "runtime/core.hpp"
#include "runtime/launch_state.hpp"
#include "runtime/module_state.hpp"

namespace heddle::tests {
namespace {

using namespace std::chrono_literals;

constexpr const char* kernels = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry first(.param .u64 from, .param .u64 to) {
  .reg .b64 %d<3>; .reg .b32 %r<2>;
  ld.param.u64 %d1, [from];
  ld.param.u64 %d2, [to];
  ld.global.u32 %r1, [%d1];
  st.global.u32 [%d2], %r1;
  ret;
}
.visible .entry change(.param .u64 data) {
  .reg .b64 %d<2>; .reg .b32 %r<2>;
  ld.param.u64 %d1, [data];
  ld.global.u32 %r1, [%d1];
  add.u32 %r1, %r1, 1;
  st.global.u32 [%d1], %r1;
  ret;
}
)";

class EarlyStartTest : public testing::Test {
 protected:
  void start(Scheduling policy = {.early_start_bytes = 1}) {
    const auto first = [this](const test::ThreadLaunch& launch) {
      const bool early = launch.layout->size() > 2;
      if (early) ++early_;
      if (while_early_ && early) while_early_();
      if (early) test::await_arrival(launch.argument<std::uint64_t>(2), launch.argument<std::uint64_t>(0) + 4);
      *word(launch, 1) = *word(launch, 0);
      if (fails_) throw Error(ErrorCode::kernel_fault, "kernel first trapped");
    };
    const auto change = [](const test::ThreadLaunch& launch) { ++*word(launch, 0); };
    std::vector<std::unique_ptr<device::Device>> devices;
    devices.push_back(test::make_thread_device("far", false, {{"first", first}, {"change", change}}));
    core_ = std::make_shared<runtime::Core>(std::move(devices), false, 0, nullptr, policy);
    module_ = std::make_shared<runtime::ModuleState>(
        core_, std::make_shared<const ptx::Module>(ptx::parse(kernels, "kernels.ptx")), kernels, "kernels.ptx");
  }
  static std::uint32_t* word(const test::ThreadLaunch& launch, std::size_t i) {
    return static_cast<std::uint32_t*>(test::reach(launch.argument<std::uint64_t>(i)));
  }
  Array<std::uint32_t> array(std::uint32_t value) {
    Array<std::uint32_t> made(std::make_shared<runtime::Buffer>(core_, sizeof value));
    made.write()[0] = value;
    return made;
  }
  void launch(const char* name, std::initializer_list<Argument> arguments) {
    const std::vector<Argument> list(arguments);
    runtime::launch(core_, module_->kernel(name), {}, list);
  }
  // One launch with an array from the host; what it gives.
  std::uint32_t copied(std::uint32_t value) {
    Array<std::uint32_t> from = array(value), to = array(0);
    launch("first", {from, to});
    return to.read()[0];
  }

  std::atomic<unsigned> early_{0};
  std::atomic<bool> fails_{false};
  std::function<void()> while_early_;
  std::shared_ptr<runtime::Core> core_;
  std::shared_ptr<runtime::ModuleState> module_;
};

TEST_F(EarlyStartTest, KernelsBeginEarlyOnceTheyWereMeasured) {
  start();
  EXPECT_EQ(copied(7), 7u);
  EXPECT_EQ(early_, 0u);
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(copied(i), i);
  EXPECT_EQ(early_, 5u);
}

TEST_F(EarlyStartTest, TheyWaitOnTheDeviceAndNotInFrontOfIt) {
  start();
  copied(1);
  std::atomic<bool> began{false}, go_on{false};
  while_early_ = [&] {
    began = true;
    while (!go_on) std::this_thread::sleep_for(100us);
  };
  Array<std::uint32_t> from = array(5), to = array(0);
  launch("first", {from, to});
  while (!began) std::this_thread::sleep_for(100us);
  go_on = true;
  EXPECT_EQ(to.read()[0], 5u);
}

TEST_F(EarlyStartTest, SmallArraysOldPoliciesAndTheSwitchLeaveThemBehindTheirCopies) {
  for (const Scheduling& policy : {Scheduling{.early_start_bytes = 0}, Scheduling{.early_start_bytes = 5},
                                   Scheduling{.prefetch = false, .early_start_bytes = 1},
                                   Scheduling{.execution = Scheduling::Execution::sync, .early_start_bytes = 1}}) {
    start(policy);
    for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(copied(i), i);
  }
  EXPECT_EQ(early_, 0u);
}

// The copy waits for a kernel that still uses the array there: one that filled the device would keep that from running.
TEST_F(EarlyStartTest, ACopyThatWaitsForAKernelIsWaitedFor) {
  start();
  copied(1);
  const auto none = early_.load();
  Array<std::uint32_t> from = array(3), to = array(0), other = array(0);
  std::atomic<bool> go_on{false};
  launch("change", {other});
  launch("first", {from, to});  // early
  for (std::uint32_t i = 1; i <= 20; ++i) {
    from.write()[0] = i;  // waits for nobody: the host has its own copy
    launch("first", {from, to});
  }
  EXPECT_EQ(to.read()[0], 20u);
  EXPECT_GE(early_, none + 1);
}

TEST_F(EarlyStartTest, AnArrayThatTheKernelAlsoChangesIsThereBeforeIt) {
  start();
  copied(1);
  Array<std::uint32_t> both = array(9);
  launch("first", {both, both});
  EXPECT_EQ(both.read()[0], 9u);
  EXPECT_EQ(early_, 0u);
}

TEST_F(EarlyStartTest, FailuresAreToldAndTheNextLaunchesRun) {
  start();
  copied(1);
  fails_ = true;
  Array<std::uint32_t> from = array(3), to = array(0);
  launch("first", {from, to});
  EXPECT_THROW(to.read(), Error);
  fails_ = false;
  EXPECT_EQ(copied(4), 4u);
}

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

// Of ten equal launches nine run while the next one's array comes.
TEST(EarlyGain, LeavesKernelsAloneThatTheNextCopiesHide) {
  runtime::EarlyGain all_but_one, half;
  for (int i = 0; i < 10; ++i)
    all_but_one.tell(false, {.kernel = 0.3, .copy = 1, .tail = 0.3, .bytes = 1, .hidden = i < 9});
  EXPECT_FALSE(all_but_one.wanted());
  for (int i = 0; i < 10; ++i) half.tell(false, {.kernel = 0.3, .copy = 1, .tail = 0.3, .bytes = 1, .hidden = i < 5});
  EXPECT_TRUE(half.wanted());
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

TEST(EarlyGain, SeesCopiesOfTheNextLaunch) {
  const auto at = [](unsigned long long ns, bool is_done = true) { return std::make_shared<AtTime>(ns, is_done); };
  const auto wanted = [&](std::shared_ptr<device::Event> start, std::shared_ptr<device::Event> end) {
    runtime::EarlySample sample;
    sample.gain = std::make_shared<runtime::EarlyGain>();
    sample.bytes = 1000;
    sample.copies.push_back({at(0), at(1000)});
    auto next = std::make_shared<runtime::EarlySample>();
    next->copies.push_back({std::move(start), std::move(end)});
    sample.next = std::move(next);
    sample.tell(*at(1000), *at(1500));
    return sample.gain->wanted();
  };
  EXPECT_FALSE(wanted(at(1000), at(2000)));
  EXPECT_FALSE(wanted(at(1000), at(0, false)));     // it is under way still
  EXPECT_TRUE(wanted(at(1000), at(1200)));          // it was over
  EXPECT_TRUE(wanted(at(1600), at(2600)));          // it had not begun
  EXPECT_TRUE(wanted(at(0, false), at(0, false)));  // nor has it yet
}

}  // namespace
}  // namespace heddle::tests
