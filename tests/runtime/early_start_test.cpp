// Launches that begin before their arrays have come from the host, on a device of threads.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>

#include "core/core.hpp"
#include "heddle/array.hpp"
#include "heddle/error.hpp"
#include "heddle/module.hpp"
#include "ptx/parser.hpp"
#include "random_programs/thread_device.hpp"
#include "runtime/buffer.hpp"
#include "runtime/launch.hpp"
#include "runtime/module_state.hpp"
#include "sched/early_form.hpp"

namespace heddle::tests {
namespace {

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
    core_ = std::make_shared<core::Core>(std::move(devices), core::CoreOptions{.scheduling = policy});
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
    runtime::launch(*core_, module_->kernel(name), {}, list);
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
  std::shared_ptr<core::Core> core_;
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
    began.notify_one();
    go_on.wait(false);
  };
  Array<std::uint32_t> from = array(5), to = array(0);
  launch("first", {from, to});
  began.wait(false);
  go_on = true;
  go_on.notify_one();
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

}  // namespace
}  // namespace heddle::tests
