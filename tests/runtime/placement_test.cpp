// Launches that name no device: where they go on several, and what is tied to the first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "runtime/fixture.hpp"
#include "spdlog/sinks/ostream_sink.h"

namespace heddle::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using enum Scheduling::Placement;
using Ids = std::vector<std::string>;

// Kernels with a variable of their module: one reads it, the other modifies it.
constexpr const char* with_variable = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .global .align 4 .b8 coefficients[16];
.visible .entry add_to(.param .u32 n, .param .f32 value, .param .u64 data) {
  .reg .b64 %rd<3>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [data];
  cvta.to.global.u64 %rd2, %rd1;
  ld.global.f32 %f1, [coefficients];
  st.global.f32 [%rd2], %f1;
  ret;
}
.visible .entry copy_first(.param .u32 n, .param .u64 from, .param .u64 to) {
  .reg .b64 %rd<5>; .reg .f32 %f<2>;
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [to];
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  ld.global.f32 %f1, [%rd3];
  st.global.f32 [%rd4], %f1;
  st.global.f32 [coefficients], %f1;
  ret;
}
)";

class PlacementTest : public RuntimeTest {
 protected:
  void start_placing(const Ids& ids, Scheduling::Placement placement, bool replay = true) {
    start(ids, {.placement = placement, .replay = replay});
  }
  std::string add_to(Array<float>& data, const LaunchOptions& options = {}) {
    return launch("add_to", options, static_cast<int>(data.size()), 1.0f, data).device();
  }
  std::string copy(Array<float>& from, Array<float>& to) {
    return launch("copy_first", {}, static_cast<int>(from.size()), from, to).device();
  }
};

TEST_F(PlacementTest, IsTheFirstUnlessAskedFor) {
  start({"far", "far2"});
  Array<float> a = floats({1}), b = floats({1});
  EXPECT_EQ(core_->placer(), nullptr);  // nothing is asked for at a launch
  EXPECT_EQ(add_to(a), "far");
  EXPECT_EQ(add_to(b), "far");
}

TEST_F(PlacementTest, NeedsASecondDevice) {
  start_placing({"far"}, round_robin);
  EXPECT_EQ(core_->placer(), nullptr);
}

TEST_F(PlacementTest, TakesTurnsAndIsOverruledByName) {
  start_placing({"far", "far2", "far3"}, round_robin);
  Array<float> a = floats({1});
  EXPECT_EQ(add_to(a), "far");
  EXPECT_EQ(add_to(a), "far2");
  EXPECT_EQ(add_to(a, {.device = "far"}), "far");
  EXPECT_EQ(add_to(a), "far3");
  EXPECT_EQ(add_to(a), "far");
  EXPECT_THAT(a.read(), ElementsAre(6));
}

TEST_F(PlacementTest, FollowsTheBytes) {
  start_placing({"far", "far2"}, min_transfer_size);
  Array<float> a = floats({1, 2}), b = floats({3, 4}), out = array<float>(2);
  EXPECT_EQ(add_to(a), "far");   // on the host: a turn
  EXPECT_EQ(add_to(b), "far2");  // another one
  EXPECT_EQ(add_to(a), "far");
  EXPECT_EQ(add_to(b), "far2");
  EXPECT_EQ(copy(b, out), "far2");
  EXPECT_EQ(copy(out, a), "far");  // both halves lie somewhere: the first
  EXPECT_THAT(a.read(), ElementsAre(5, 6));
}

TEST_F(PlacementTest, CountsThePartsThatAreUsed) {
  start_placing({"far", "far2"}, min_transfer_size);
  Array<float> a = floats({1, 2, 3, 4});
  const auto on = [&](std::size_t first, std::size_t count) {
    return launch("add_to", {}, static_cast<int>(count), 1.0f, a.slice(first, count)).device();
  };
  log_.clear();
  EXPECT_EQ(on(0, 2), "far");
  EXPECT_EQ(on(2, 2), "far2");
  EXPECT_EQ(on(1, 1), "far");
  EXPECT_EQ(on(3, 1), "far2");
  EXPECT_EQ(on(1, 3), "far2");
  EXPECT_THAT(a.read(), ElementsAre(2, 5, 5, 7));
  EXPECT_EQ(logged("far: copy 8"), 1);  // each got its half,
  EXPECT_EQ(logged("far2: copy 8"), 1);
  EXPECT_EQ(logged("far2: copy 4"), 1);   // the element that it needed besides,
  EXPECT_EQ(logged("far2: copy 12"), 1);  // and the host what each has had last
  EXPECT_EQ(logged("far: copy 4"), 1);
}

// Ten launches with arrays of their own, in rounds between which the host writes all inputs: as Black-Scholes of
// GrCUDA.
TEST_F(PlacementTest, SpreadsIndependentLaunchesAndLeavesThemThere) {
  start_placing({"far", "far2"}, min_transfer_size);
  std::vector<Array<float>> in, out;
  for (int i = 0; i < 10; ++i) {
    in.push_back(array<float>(8));
    out.push_back(array<float>(8));
  }
  for (int round = 0; round < 5; ++round) {
    for (auto& each : in) each.write()[0] = static_cast<float>(round);
    log_.clear();
    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(copy(in[i], out[i]), i % 2 == 0 ? "far" : "far2") << i;
    for (auto& each : out) EXPECT_EQ(each.read()[0], static_cast<float>(round));
    EXPECT_EQ(logged("far: copy 32"), 10);  // five there and five back
    EXPECT_EQ(logged("far2: copy 32"), 10);
  }
}

// Two halves of an array that the host writes, with results of very different sizes: as ML there.
TEST_F(PlacementTest, HalvesStayWhereTheyAre) {
  start_placing({"far", "far2"}, min_transfer_size);
  Array<float> x = array<float>(128), sums = array<float>(2), z = array<float>(128);
  const char* const expected[] = {"far", "far2"};
  for (int round = 0; round < 5; ++round) {
    x.write()[0] = static_cast<float>(round);
    log_.clear();
    for (std::size_t p = 0; p < 2; ++p)
      EXPECT_EQ(launch("copy_first", {}, 1, x.slice(64 * p, 64), sums.slice(p, 1)).device(), expected[p]);
    for (std::size_t p = 0; p < 2; ++p)
      EXPECT_EQ(launch("copy_first", {}, 64, x.slice(64 * p, 64), z.slice(64 * p, 64)).device(), expected[p]);
    for (std::size_t p = 0; p < 2; ++p)  // with what both have found out
      EXPECT_EQ(launch("copy_first", {}, 2, sums, z.slice(64 * p, 64)).device(), expected[p]);
    EXPECT_EQ(z.read()[0], static_cast<float>(round));
    for (const char* id : expected) {
      EXPECT_EQ(logged(std::string(id) + ": copy 256"), 2);  // of x there, of z back
      EXPECT_EQ(logged(std::string(id) + ": copy 4"), 1);    // the other's sum
    }
  }
}

TEST_F(PlacementTest, PrefersIdleDevices) {
  start_placing({"far", "far2"}, stream_aware);
  Array<float> a = floats({1}), b = floats({1}), c = floats({1});
  EXPECT_EQ(add_to(a), "far");
  EXPECT_EQ(add_to(b), "far2");
  EXPECT_EQ(add_to(c), "far");
  static_cast<void>(a.read());
  static_cast<void>(c.read());
  EXPECT_EQ(add_to(c), "far");
}

TEST_F(PlacementTest, CountsTheLinksTime) {
  for (const auto& [policy, expected] :
       {std::pair(minmin_transfer_time, "far2"), std::pair(minmax_transfer_time, "far3")}) {
    start_placing({"far", "far2", "far3"}, policy);
    // By place, the host last. From far3 to far2 it is near, and from the host far.
    core_->links().set({{0, 100e9, 8e9, 8e9}, {100e9, 0, 100e9, 2e9}, {8e9, 100e9, 0, 8e9}, {8e9, 2e9, 8e9, 0}});
    Array<float> data = floats({1, 2, 3, 4, 5, 6, 7, 8});
    const auto part = [&](std::size_t first, std::size_t count, const char* device) {
      launch("add_to", {.device = device}, static_cast<int>(count), 1.0f, data.slice(first, count));
    };
    part(0, 2, "far");
    part(2, 2, "far2");
    part(4, 4, "far3");
    static_cast<void>(data.read(4, 4));  // which the host has then, too
    log_.clear();
    EXPECT_EQ(add_to(data), expected);
    EXPECT_THAT(data.read(), ElementsAre(3, 4, 5, 6, 7, 8, 9, 10));
  }
}

TEST_F(PlacementTest, KeepsWhatIsTiedToTheFirst) {
  start_placing({"far", "far2"}, round_robin);
  Array<float> a = floats({1}), b = floats({1});
  EXPECT_EQ(add_to(a), "far");
  EXPECT_EQ(add_to(a), "far2");
  EXPECT_EQ(add_to(a), "far");
  {
    Array<float> taken = floats({1});
    static_cast<void>(taken.address("far"));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(add_to(a), "far");
  }
  EXPECT_EQ(add_to(b), "far2");  // it is gone
}

TEST_F(PlacementTest, KeepsVariablesThatMayDiffer) {
  start_placing({"far", "far2"}, round_robin);
  module_.emplace(std::make_shared<runtime::ModuleState>(
      core_, std::make_shared<const ptx::Module>(ptx::parse(with_variable, "test.ptx")), with_variable, "test.ptx"));
  Array<float> a = floats({1}), b = floats({1});
  EXPECT_EQ(add_to(a), "far");  // all devices have the first values still
  EXPECT_EQ(add_to(a), "far2");
  EXPECT_EQ(copy(a, b), "far");  // it modifies them
  EXPECT_EQ(copy(a, b), "far");
  EXPECT_EQ(add_to(a), "far");
  EXPECT_EQ(add_to(a), "far");
}

TEST_F(PlacementTest, HostsWritesToVariablesTieThem) {
  start_placing({"far", "far2"}, round_robin);
  module_.emplace(std::make_shared<runtime::ModuleState>(
      core_, std::make_shared<const ptx::Module>(ptx::parse(with_variable, "test.ptx")), with_variable, "test.ptx"));
  Array<float> a = floats({1});
  EXPECT_EQ(add_to(a), "far");
  const std::byte value[4]{};
  module_->write_variable("coefficients", 0, value, "far");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(add_to(a), "far");
}

TEST_F(PlacementTest, SaysWhy) {
  std::ostringstream text;
  const auto logger = base::logger();
  const auto level = logger->level();
  logger->sinks().push_back(std::make_shared<spdlog::sinks::ostream_sink_mt>(text));
  logger->set_level(spdlog::level::debug);
  start_placing({"far", "far2"}, min_transfer_size);
  Array<float> a = floats({1, 2});
  add_to(a);
  add_to(a);
  logger->set_level(level);
  logger->sinks().pop_back();
  EXPECT_THAT(text.str(), HasSubstr("kernel add_to goes to far: no device holds a tenth of the bytes"));
  EXPECT_THAT(text.str(), HasSubstr("far holds 8 B of 8 B, has "));
}

TEST_F(PlacementTest, WhatIsReplayedStaysWhereItIs) {
  start_placing({"far", "far2"}, min_transfer_size);
  Array<float> a = floats({1, 2}), b = array<float>(2), other = floats({0});
  EXPECT_EQ(add_to(other), "far");  // so that it is the second one's turn
  for (int i = 0; i < 500; ++i) {
    ASSERT_EQ(add_to(a), "far2") << i;
    ASSERT_EQ(copy(a, b), "far2") << i;
  }
  EXPECT_GT(core_->replayer().graphs(), 3u);
  EXPECT_EQ(core_->replayer().abandoned(), 0u);
  EXPECT_THAT(b.read(), ElementsAre(501, 502));
}

TEST_F(PlacementTest, ANameEndsWhatIsReplayedElsewhere) {
  start_placing({"far", "far2"}, min_transfer_size);
  Array<float> a = floats({1});
  for (int i = 0; i < 200; ++i) ASSERT_EQ(add_to(a), "far");
  const auto graphs = core_->replayer().graphs();
  EXPECT_GT(graphs, 0u);
  EXPECT_EQ(add_to(a, {.device = "far2"}), "far2");
  EXPECT_EQ(add_to(a), "far2");  // which holds it now
  EXPECT_THAT(a.read(), ElementsAre(203));
}

TEST_F(PlacementTest, WhatTiesToTheFirstEndsWhatIsReplayedElsewhere) {
  start_placing({"far", "far2"}, min_transfer_size);
  Array<float> a = floats({1}), taken = floats({1});
  EXPECT_EQ(add_to(taken), "far");  // so that it is the second one's turn
  for (int i = 0; i < 200; ++i) ASSERT_EQ(add_to(a), "far2");
  EXPECT_GT(core_->replayer().graphs(), 0u);
  static_cast<void>(taken.address("far"));
  EXPECT_EQ(add_to(a), "far");
  EXPECT_THAT(a.read(), ElementsAre(202));
}

TEST_F(PlacementTest, KernelsWithVariablesAreNotReplayedElsewhere) {
  start_placing({"far", "far2"}, min_transfer_size);
  Array<float> a = floats({1}), other = floats({1});
  EXPECT_EQ(add_to(other), "far");
  module_.emplace(std::make_shared<runtime::ModuleState>(
      core_, std::make_shared<const ptx::Module>(ptx::parse(with_variable, "test.ptx")), with_variable, "test.ptx"));
  for (int i = 0; i < 200; ++i) ASSERT_EQ(add_to(a), "far2");
  const std::byte value[4]{};
  module_->write_variable("coefficients", 0, value, "far");
  EXPECT_EQ(add_to(a), "far");
}

// Launches that name no device go where they can run; those that name the lost one get its error.
TEST_F(PlacementTest, LostDevicesAreNotChosen) {
  start_placing({"far", "far2"}, round_robin);
  Array<float> a = floats({1}), b = floats({1});
  EXPECT_EQ(add_to(a), "far");
  devices_[0]->is_lost = true;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(add_to(b), "far2");
  EXPECT_EQ(add_to(a, {.device = "far"}), "far") << "by name";
  EXPECT_THAT(b.read(), ElementsAre(4));
}

// Turns put one after the other into different devices, of which no graph can be made: that stays right, too.
TEST_F(PlacementTest, SequencesOverSeveralDevicesAreNotReplayed) {
  start_placing({"far", "far2"}, round_robin);
  Array<float> a = floats({1}), b = floats({1});
  for (int i = 0; i < 300; ++i) {
    ASSERT_EQ(add_to(a), "far");
    ASSERT_EQ(add_to(b), "far2");
  }
  EXPECT_EQ(core_->replayer().graphs(), 0u);
  EXPECT_THAT(a.read(), ElementsAre(301));
  EXPECT_THAT(b.read(), ElementsAre(301));
}

TEST_F(PlacementTest, ChildrenElsewhereWaitAndLeaveTheQueue) {
  for (const auto children : {Scheduling::ChildQueues::disjoint, Scheduling::ChildQueues::same_as_parent}) {
    start({"far", "far2"}, {.child_queues = children, .placement = round_robin, .replay = false});
    Array<float> a = floats({1}), b = array<float>(1), c = array<float>(1);
    EXPECT_EQ(add_to(a), "far");
    EXPECT_EQ(copy(a, b), "far2");
    const std::size_t queues = devices_[0]->queues();
    EXPECT_EQ(copy(a, c), "far");  // behind the first one, in its queue: fill and move have taken others
    EXPECT_LE(devices_[0]->queues(), queues + 1);
    EXPECT_EQ(copy(b, a), "far2");
    EXPECT_THAT(a.read(), ElementsAre(2));
    EXPECT_THAT(c.read(), ElementsAre(2));
  }
}

}  // namespace
}  // namespace heddle::tests
