// A launch whose kernel must first be compiled holds up nothing else: no other launch, and no access of the host.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
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

namespace heddle::tests {
namespace {

// add(data, number): data[0] += number.
std::string module_with(const std::string& kernel) {
  return R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry )" +
         kernel + R"((.param .u64 data, .param .u32 number) {
  .reg .b64 %d<2>; .reg .b32 %r<3>;
  ld.param.u64 %d1, [data];
  ld.param.u32 %r2, [number];
  ld.global.u32 %r1, [%d1];
  add.u32 %r1, %r1, %r2;
  st.global.u32 [%d1], %r1;
  ret;
}
)";
}

// The policy: RuntimeOptions::policy.
class BlockingCompiler : public testing::TestWithParam<const char*> {
 protected:
  BlockingCompiler() {
    const auto add = [](const test::ThreadLaunch& launch) {
      *static_cast<std::uint32_t*>(test::reach(launch.argument<std::uint64_t>(0))) += launch.argument<std::uint32_t>(1);
    };
    const auto compile = [this](const ptx::Module& module) {
      if (module.find("slow") == nullptr) return;
      compiling_.set_value();
      compiled_.get_future().wait();
    };
    std::vector<std::unique_ptr<device::Device>> devices;
    devices.push_back(test::make_thread_device("far", false, {{"slow", add}, {"fast", add}}, compile));
    core_ = std::make_shared<core::Core>(std::move(devices), core::CoreOptions{.policy = GetParam()});
    for (const char* kernel : {"slow", "fast"}) {
      const std::string text = module_with(kernel);
      modules_.push_back(std::make_shared<runtime::ModuleState>(
          core_, std::make_shared<const ptx::Module>(ptx::parse(text, kernel)), text, kernel));
    }
  }
  Array<std::uint32_t> array() {
    return Array<std::uint32_t>(std::make_shared<runtime::Buffer>(core_, sizeof(std::uint32_t)));
  }
  void launch(std::size_t module, Array<std::uint32_t>& data, std::uint32_t number) {
    const Argument arguments[] = {data, number};
    runtime::launch(*core_, modules_[module]->kernel(module == 0 ? "slow" : "fast"), {.grid = {1}, .block = {1}},
                    arguments);
  }

  std::promise<void> compiling_, compiled_;
  std::shared_ptr<core::Core> core_;
  std::vector<std::shared_ptr<runtime::ModuleState>> modules_;
};

TEST_P(BlockingCompiler, HoldsUpNothingElse) {
  Array<std::uint32_t> slow = array(), fast = array();
  slow.write()[0] = 1;
  std::atomic<bool> launched{false};
  std::thread thread([&] {
    launch(0, slow, 10);
    launched = true;
  });
  compiling_.get_future().wait();
  for (std::uint32_t i = 0; i < 100; ++i) {
    launch(1, fast, 1);
    if (i % 10 != 0) continue;
    EXPECT_EQ(fast.read()[0], i + 1 + i / 10);
    fast.write()[0] += 1;
  }
  EXPECT_EQ(fast.read()[0], 110u);
  EXPECT_EQ(slow.read()[0], 1u);  // the launch that waits for its code has not been made
  Array<std::uint32_t> another = array();
  another.write()[0] = 3;
  EXPECT_FALSE(launched);
  compiled_.set_value();
  thread.join();
  EXPECT_EQ(slow.read()[0], 11u);
}

INSTANTIATE_TEST_SUITE_P(Policies, BlockingCompiler, testing::Values("direct", "slice:1", "bounded:100"),
                         [](const testing::TestParamInfo<const char*>& info) {
                           return std::string(info.param).substr(0, std::string(info.param).find(':'));
                         });

}  // namespace
}  // namespace heddle::tests
