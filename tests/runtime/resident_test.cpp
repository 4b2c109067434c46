// Launches after the first ones of a kernel: its code is made, and its arrays are where it runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "runtime/fixture.hpp"
#include "runtime/resident_launch.hpp"

namespace heddle::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ResidentTest : public RuntimeTest {
 protected:
  template <typename... Arguments>
  bool is_resident(const char* kernel, const LaunchOptions& options, const Arguments&... arguments) {
    const std::vector<Argument> list = {Argument(arguments)...};
    return runtime::launch_resident(*core_, *module_->kernel(kernel).state(), options, list).has_value();
  }
  template <typename... Arguments>
  std::string refusal(const char* kernel, const Arguments&... arguments) {
    return message_of([&] { launch(kernel, {}, arguments...); });
  }
};

TEST_F(ResidentTest, AreThoseOfKernelsAndArraysThatAreThere) {
  start({"far"});
  Array<float> a = floats({1, 2}), b = array<float>(2);
  EXPECT_FALSE(is_resident("copy_first", {}, 2, a, b));  // there is no code yet
  launch("copy_first", {}, 2, a, b).wait();
  EXPECT_TRUE(is_resident("copy_first", {}, 2, a, b));
  EXPECT_TRUE(is_resident("copy_first", {.device = "far"}, 1, a.slice(1), b.slice(0, 1)));
  EXPECT_TRUE(is_resident("copy_first", {.grid = {3}}, 0, a, nullptr));
  EXPECT_THAT(b.read(), ElementsAre(2, 2));
  EXPECT_FALSE(is_resident("copy_first", {.block = {64}}, 2, a, b));  // no code for that
  EXPECT_FALSE(is_resident("copy_first", {.timed = true}, 2, a, b));
  EXPECT_FALSE(is_resident("copy_first", {.cooperative = true}, 2, a, b));
  EXPECT_FALSE(is_resident("copy_first", {.blocks = BlockRange{0, 1}}, 2, a, b));
  EXPECT_FALSE(is_resident("copy_first", {.processors = {0}}, 2, a, b));
  EXPECT_FALSE(is_resident("copy_first", {}, 2, in(a), b));
  EXPECT_FALSE(is_resident("copy_first", {}, 2, a, opaque(nullptr)));
  const Array<float> c = floats({3, 4});
  EXPECT_FALSE(is_resident("copy_first", {}, 2, c, b));  // its bytes are on the host
  static_cast<void>(b.address("far"));
  EXPECT_FALSE(is_resident("copy_first", {}, 2, a, b));  // an address was taken: every launch may use the array
}

TEST_F(ResidentTest, AreOfRuntimesThatSubmitAtOnce) {
  for (const Scheduling& scheduling :
       {Scheduling{.execution = Scheduling::Execution::sync},
        Scheduling{.dependences = Scheduling::Dependences::no_const}, Scheduling{.prefetch = false}}) {
    start({"near"}, scheduling);
    const Array<float> a = floats({1, 2}), b = array<float>(2);
    launch("copy_first", {}, 2, a, b).wait();
    EXPECT_FALSE(core_->is_direct());
    launch("copy_first", {}, 2, b, a).wait();
    EXPECT_THAT(a.read(), ElementsAre(1, 2));
  }
}

TEST_F(ResidentTest, WrongArgumentsAreRefusedAsBefore) {
  start({"near"});
  Array<float> a = floats({1, 2}), b = floats({3, 4});
  launch("copy_first", {}, 2, a, b).wait();
  launch("add_to", {}, 2, 1.0f, a).wait();
  EXPECT_THAT(refusal("add_to", 2, 1.0f), HasSubstr("takes 3 arguments and was given 2"));
  EXPECT_THAT(refusal("add_to", std::int64_t{2}, 1.0f, a), HasSubstr("parameter n"));
  EXPECT_THAT(refusal("add_to", 2, 1, a), HasSubstr("decimal point"));
  EXPECT_THAT(refusal("add_to", 2.0f, 1.0f, a), HasSubstr("convert"));
  EXPECT_THAT(refusal("add_to", a, 1.0f, a), HasSubstr("an array"));
  EXPECT_THAT(refusal("add_to", nullptr, 1.0f, a), HasSubstr("a null pointer"));
  EXPECT_THAT(refusal("add_to", 2, 1.0f, std::uint64_t{8}), HasSubstr("heddle::Array"));
  EXPECT_THAT(refusal("add_to", 2, 1.0f, a.slice(3)), HasSubstr("begins at byte 12 of an array of 8 bytes"));
  EXPECT_THAT(refusal("add_to", 2, 1.0f, a.slice(1, 2)), HasSubstr("a slice of 8 bytes from byte 4 on"));
  const Array<float> gone = std::move(b);
  EXPECT_THAT(refusal("copy_first", 2, a, b), HasSubstr("moved from"));
  start({"near"});
  const Array<float> mine = floats({5});
  launch("add_to", {}, 1, 1.0f, mine).wait();
  EXPECT_THAT(refusal("add_to", 1, 1.0f, a), HasSubstr("another runtime"));
}

TEST_F(ResidentTest, RefusedLaunchesHaveUsedNothing) {
  start({"near"});
  Array<float> a = floats({1, 2}), b = floats({3, 4});
  launch("copy_first", {}, 2, a, b).wait();
  launch("copy_first", {}, 2, b, a).wait();
  static_cast<void>(a.write());
  const memory::Array& of = a.buffer()->array();
  ASSERT_NE(of.host_writable(), nullptr);
  EXPECT_THAT(refusal("copy_first", 2, a, b.slice(1, 2)), HasSubstr("a slice of 8 bytes"));
  EXPECT_NE(of.host_writable(), nullptr);
  launch("copy_first", {}, 2, a, b);
  EXPECT_EQ(of.host_writable(), nullptr);
}

// The fake kernels check what lies between their arguments.
TEST_F(ResidentTest, GapsAndNullPointersAreZeros) {
  start({"near"});
  const Array<float> a = floats({1, 2}), b = array<float>(2);
  for (int i = 0; i < 2; ++i) {
    launch("add_to", {}, 2, 1.0f, a).wait();
    launch("copy_first", {}, 2, a, b).wait();
    launch("_Z4blurIfEvPT_", {}, a).wait();
    EXPECT_NE(blurred_, 0u);
    launch("_Z4blurIfEvPT_", {}, nullptr).wait();
    EXPECT_EQ(blurred_, 0u);
  }
  EXPECT_THAT(b.read(), ElementsAre(3, 4));
}

TEST_F(ResidentTest, AreCountedAndTimedInTheKernelsHistory) {
  start({"near"});
  const Array<float> a = floats({0});
  for (int i = 0; i < 65; ++i) launch("add_to", {.grid = {static_cast<unsigned>(i + 1)}}, 1, 1.0f, a).wait();
  const KernelHistory history = module_->kernel("add_to").history();
  EXPECT_EQ(history.launches, 65u);
  EXPECT_EQ(history.timed, 5u);  // the first four, and the one after 64
  EXPECT_EQ(history.last_grid, Dim3{65});
}

// Of short kernels, once nothing has needed one for a while.
TEST_F(ResidentTest, EndsInChainsAreRecordedLate) {
  start({"near"}, {.replay = false});
  const Array<float> a = floats({0});
  for (int i = 0; i < 2; ++i) launch("add_to", {}, 1, 1.0f, a).wait();
  for (int i = 0; i < 100; ++i) launch("add_to", {}, 1, 1.0f, a);
  EXPECT_GE(late_records_, 50u);
  EXPECT_LT(late_records_, 80u);
  EXPECT_THAT(a.read(), ElementsAre(102));
}

// What runs beside each other would come one after the other, had the end of what is before them come late.
TEST_F(ResidentTest, EndsThatOtherQueuesNeedAreRecordedAtOnce) {
  start({"near"}, {.replay = false});
  const Array<float> one = floats({1}), x = floats({0}), y = floats({0}), z = floats({0});
  for (int i = 0; i < 2; ++i) launch("saxpy", {}, 1u, 1.0f, one, x).wait();
  late_records_ = 0;
  for (int i = 0; i < 100; ++i) {
    launch("saxpy", {}, 1u, 1.0f, one, x);
    launch("saxpy", {}, 1u, 1.0f, x, y);
    launch("saxpy", {}, 1u, 1.0f, x, z);
  }
  EXPECT_EQ(late_records_, 0u);
  EXPECT_THAT(x.read(), ElementsAre(102));
}

}  // namespace
}  // namespace heddle::tests
