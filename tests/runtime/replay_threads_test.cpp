// Launches that repeat themselves, of several threads with one runtime, on devices of threads.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "core/core.hpp"
#include "heddle/array.hpp"
#include "heddle/module.hpp"
#include "ptx/parser.hpp"
#include "random_programs/thread_device.hpp"
#include "runtime/buffer.hpp"
#include "runtime/launch.hpp"
#include "runtime/module_state.hpp"
#include "support/wait_until.hpp"

namespace heddle::tests {
namespace {

constexpr const char* kernels = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry copy(.param .u64 from, .param .u64 to) {
  .reg .b64 %d<3>; .reg .b32 %r<2>;
  ld.param.u64 %d1, [from];
  ld.param.u64 %d2, [to];
  ld.global.u32 %r1, [%d1];
  st.global.u32 [%d2], %r1;
  ret;
}
.visible .entry add(.param .u64 data, .param .u32 number) {
  .reg .b64 %d<2>; .reg .b32 %r<3>;
  ld.param.u64 %d1, [data];
  ld.param.u32 %r2, [number];
  ld.global.u32 %r1, [%d1];
  add.u32 %r1, %r1, %r2;
  st.global.u32 [%d1], %r1;
  ret;
}
)";

class ReplayThreadsTest : public testing::TestWithParam<bool> {
 protected:
  ReplayThreadsTest() {
    const auto word = [](const test::ThreadLaunch& launch, std::size_t i) {
      return static_cast<std::uint32_t*>(test::reach(launch.argument<std::uint64_t>(i)));
    };
    functions_ = {
        {"copy", [word](const test::ThreadLaunch& launch) { *word(launch, 1) = *word(launch, 0); }},
        {"add", [word](const test::ThreadLaunch& launch) { *word(launch, 0) += launch.argument<std::uint32_t>(1); }}};
    start(0);
  }
  void start(std::uint64_t memory_budget) {
    std::vector<std::unique_ptr<device::Device>> devices;
    for (const char* name : {"one", "other"}) devices.push_back(test::make_thread_device(name, GetParam(), functions_));
    module_.reset();
    core_ = std::make_shared<core::Core>(std::move(devices), core::CoreOptions{.memory_budget = memory_budget});
    core_->replayer().set_patience(std::chrono::milliseconds(2));  // on a machine that does other things besides
    module_ = std::make_shared<runtime::ModuleState>(
        core_, std::make_shared<const ptx::Module>(ptx::parse(kernels, "kernels.ptx")), kernels, "kernels.ptx");
  }
  Array<std::uint32_t> array() {
    Array<std::uint32_t> made(std::make_shared<runtime::Buffer>(core_, sizeof(std::uint32_t)));
    made.write()[0] = 0;
    return made;
  }
  void launch(const char* name, const std::string& device, std::initializer_list<Argument> arguments) {
    const std::vector<Argument> list(arguments);
    runtime::launch(*core_, module_->kernel(name), {.device = device}, list);
  }
  // Some hundred rounds that are alike but for a number, without waiting and with reading now and then.
  void repeat(const std::string& device, std::uint32_t number, std::uint64_t pause) {
    Array<std::uint32_t> a = array(), b = array();
    std::uint32_t sum = 0;
    for (std::uint32_t i = 1; i <= 600; ++i) {
      launch("add", device, {a, number + i});
      launch("copy", device, {a, b});
      launch("add", device, {b, 1});
      sum += number + i;
      if (i % 150 == 0) let_pass(core_->watcher()->clock(), pause);
      const bool reads = i > 400 ? i % 5 == 0 : i % 100 == 0;
      if (reads) {
        ASSERT_EQ(b.read()[0], sum + 1) << device << " " << i;
      }
    }
    ASSERT_EQ(a.read()[0], sum);
  }

  std::map<std::string, test::ThreadKernel> functions_;
  std::shared_ptr<core::Core> core_;
  std::shared_ptr<runtime::ModuleState> module_;
};

TEST_P(ReplayThreadsTest, EachBreaksIntoWhatTheOtherRepeats) {
  repeat("one", 1, 0);
  EXPECT_GT(core_->replayer().graphs(), 0u) << "alone";
  std::thread same([this] { repeat("one", 2, 3'000'000); });
  std::thread other([this] { repeat("other", 3, 5'000'000); });
  repeat("one", 4, 1'000'000);
  same.join();
  other.join();
  repeat("other", 5, 0);
}

// The DAG does not know yet how held launches use arrays. A launch of another thread that needs room, after it has
// released the lock, has to submit them before it chooses what to evict.
TEST_P(ReplayThreadsTest, ArraysOfHeldLaunchesAreNotEvictedBeforeTheyAreSubmitted) {
  start(2 * sizeof(std::uint32_t));
  core_->replayer().set_patience(std::chrono::hours(1));
  Array<std::uint32_t> a = array(), b = array();
  const auto large = std::make_shared<runtime::Buffer>(core_, 2 * sizeof(std::uint32_t));
  std::uint32_t rounds = 0;
  for (; core_->replayer().graphs() == 0 && rounds < 100; ++rounds) {
    launch("add", "one", {a, 1});
    launch("copy", "one", {a, b});
    launch("add", "one", {b, 1});
  }
  launch("add", "one", {a, 1});
  {
    base::Lock lock(core_->mutex());
    ASSERT_EQ(core_->replayer().held(), 1u);
    memory::Array* const needed = &large->array();
    sched::MemoryManager::Pressure pressure;
    while (core_->memory().allocate({&needed, 1}, 0, lock, pressure, "the test")) {
    }
    EXPECT_EQ(core_->replayer().held(), 0u);
    EXPECT_FALSE(core_->memory().registry().arrays(0).empty());
  }
  EXPECT_EQ(a.read()[0], rounds + 1);
  EXPECT_EQ(b.read()[0], rounds + 1);
}

INSTANTIATE_TEST_SUITE_P(, ReplayThreadsTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "HostReachesMemory" : "HostDoesNot"; });

}  // namespace
}  // namespace heddle::tests
