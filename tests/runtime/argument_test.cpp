#include "runtime/bind.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/error.hpp"
#include "runtime/buffer.hpp"
#include "runtime/fixture.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ArgumentTest : public RuntimeTest {
 protected:
  template <typename... Arguments>
  void refused(const char* kernel, const testing::Matcher<const char*>& message, const Arguments&... arguments) {
    try {
      launch(kernel, {}, arguments...);
      FAIL() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_THAT(error.what(), message);
    }
  }
};

TEST_F(ArgumentTest, WrongCountListsTheParameters) {
  start({"near"});
  refused("add_to",
          AllOf(HasSubstr("takes 3 arguments and was given 1"), HasSubstr("value (.f32"), HasSubstr("data (.u64")), 1);
  refused("fails", HasSubstr("takes 0 arguments and was given 1"), 1);
}

TEST_F(ArgumentTest, WrongSizeNamesTheParameter) {
  start({"near"});
  const Array<float> data = array<float>(4);
  refused("add_to", AllOf(HasSubstr("argument 1"), HasSubstr("parameter n"), HasSubstr("8 bytes")), std::int64_t{4},
          1.0f, data);
  refused("add_to", AllOf(HasSubstr("argument 2"), HasSubstr("parameter value")), 4, 1.0, data);
}

TEST_F(ArgumentTest, WrongKindNamesTheParameter) {
  start({"near"});
  const Array<float> data = array<float>(4);
  refused("add_to", AllOf(HasSubstr("parameter value"), HasSubstr("decimal point")), 4, 1, data);
  refused("add_to", AllOf(HasSubstr("parameter n"), HasSubstr("convert")), 4.0f, 1.0f, data);
  refused("add_to", AllOf(HasSubstr("parameter n"), HasSubstr("an array")), data, 1.0f, data);
  refused("add_to", AllOf(HasSubstr("parameter data"), HasSubstr("a pointer"), HasSubstr("heddle::Array")), 4, 1.0f,
          2.0);
  refused("add_to", AllOf(HasSubstr("parameter data"), HasSubstr("heddle::Array")), 4, 1.0f, 2);
}

TEST_F(ArgumentTest, IntegersAreNoPointers) {
  start({"near"});
  Array<float> data = floats({1, 2});
  const auto message = AllOf(HasSubstr("parameter data (.u64, 8 bytes, a pointer): was given an integer of 8 bytes"),
                             HasSubstr("pass a heddle::Array or nullptr"), HasSubstr("in:"));
  refused("add_to", message, 2, 1.0f, std::size_t{2});
  refused("add_to", message, 2, 1.0f, std::int64_t{0});
  refused("add_to", message, 2, 1.0f, data.address());
  // An address by its bytes, for those who know what they do; and what the PTX adds to a pointer may be an index.
  struct Address {
    std::uint64_t value;
  };
  launch("add_to", {}, 2, 1.0f, Address{data.address()}).wait();
  EXPECT_THAT(data.read(), testing::ElementsAre(2, 3));
  EXPECT_TRUE(module_->kernel("indexed").info().parameters[1].may_be_index);
  launch("indexed", {}, data, std::uint64_t{4}).wait();
}

TEST_F(ArgumentTest, ArraysOfOtherElementsThanTheKernelsAreRefused) {
  start({"near"});
  const Array<float> floats = array<float>(4);
  const Array<double> doubles = array<double>(4);
  const Array<int> integers = array<int>(4);
  refused("_Z4blurIfEvPT_", HasSubstr("argument 1 of kernel void blur<float>(float*), parameter p (float*): was"),
          doubles);
  refused("_Z4blurIfEvPT_", HasSubstr("was given an array of double; pass an array of float, or heddle::any_type(x)"),
          doubles.slice(1));
  refused("_Z4blurIfEvPT_", HasSubstr("was given an array of 32-bit integers"), in(integers));
  refused("_Z4blurIdEvPT_", HasSubstr("was given an array of float; pass an array of double"), floats);
  for (int i = 0; i < 2; ++i) {  // the second time, too
    launch("_Z4blurIfEvPT_", {}, floats).wait();
    launch("_Z4blurIfEvPT_", {}, array<std::byte>(4)).wait();
    launch("_Z4blurIfEvPT_", {}, array<std::uint8_t>(4)).wait();
    launch("_Z4blurIfEvPT_", {}, nullptr).wait();
    launch("_Z4blurIfEvPT_", {}, any_type(doubles)).wait();
    launch("_Z4blurIfEvPT_", {}, in(any_type(integers.slice(1)))).wait();
    launch("_Z4blurIdEvPT_", {}, doubles).wait();
    launch("copy_first", {}, 1, doubles, integers).wait();  // of which the types are not known
    refused("_Z4blurIfEvPT_", HasSubstr("double"), doubles);
  }
}

struct Half {
  std::uint16_t bits;
};
struct Real {
  float value;
};

}  // namespace
}  // namespace heddle::tests

template <>
inline constexpr heddle::ElementType heddle::element_type<heddle::tests::Real> = heddle::ElementType::f32;

namespace heddle::tests {
namespace {

TEST_F(ArgumentTest, ElementsThatTheLibraryDoesNotKnowFitUnlessTheProgramSaysWhatTheyAre) {
  start({"near"});
  launch("_Z4blurIfEvPT_", {}, array<Half>(4)).wait();
  launch("_Z4blurIfEvPT_", {}, array<Real>(4)).wait();
  refused("_Z4blurIdEvPT_", HasSubstr("was given an array of float"), array<Real>(4));
}

TEST_F(ArgumentTest, ElementsAreComparedWithTheSignature) {
  start({"near"});
  const auto refusal = [&](const char* signature, const Argument& given) {
    try {
      launch_as("copy_first", signature, 0, given, nullptr).wait();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const Array<double> doubles = array<double>(4);
  EXPECT_EQ(
      refusal("copy_first(n: sint32, x: in pointer float, y: pointer)", doubles),
      "argument 2 of kernel copy_first, parameter x (float*): was given an array of double; pass an array of float, "
      "or heddle::any_type(x) (--any-type to heddle launch, any-type = true in a job of heddle batch) if that is "
      "meant");
  EXPECT_EQ(refusal("sint32, pointer double, pointer double", doubles), "");
  EXPECT_THAT(refusal("sint32, pointer sint64, pointer double", doubles),
              HasSubstr("kernel copy_first(int, long*, double*), parameter from (long*)"));
}

TEST_F(ArgumentTest, OneArgumentIsNoPlural) {
  start({"near"});
  refused("structure", HasSubstr("takes 1 argument and was given 0"));
}

TEST_F(ArgumentTest, ArraysOfAnotherRuntimeAreRefused) {
  start({"near"});
  const Array<float> foreign = array<float>(4);
  start({"other"});
  refused("add_to", HasSubstr("another runtime"), 4, 1.0f, foreign);
}

TEST_F(ArgumentTest, StructuresAndNullAndSlices) {
  start({"near"});
  struct Plane {
    double a, b, c;
  };
  launch("structure", {}, Plane{1, 2, 3}).wait();
  refused("structure",
          AllOf(HasSubstr("a structure of 8 bytes"), HasSubstr("pass a structure of 24 bytes, padding included"),
                HasSubstr("48 digits")),
          std::array<float, 2>{});
  refused("structure", AllOf(HasSubstr("an integer of 1 byte;"), HasSubstr("pass a structure of 24 bytes")), true);
  refused("structure", AllOf(HasSubstr("an array;"), HasSubstr("pass a structure of 24 bytes")), floats({1}));
  launch("copy_first", {}, 0, nullptr, nullptr).wait();
  Array<float> data = floats({1, 2, 3, 4});
  launch("add_to", {}, 2, 10.0f, data.slice(2)).wait();
  EXPECT_THAT(data.read(), testing::ElementsAre(1, 2, 13, 14));
  refused("add_to", HasSubstr("begins at byte 20 of an array of 16 bytes"), 0, 1.0f, data.slice(5));
  refused("add_to", HasSubstr("a slice of 12 bytes from byte 8 on of an array of 16 bytes"), 0, 1.0f, data.slice(2, 3));
}

TEST_F(ArgumentTest, PacksByOffset) {
  start({"near"});
  Array<float> from = floats({1, 2}), to = floats({0, 0});
  launch("copy_first", {}, 0, from, to).wait();  // now they have addresses
  const std::vector<Argument> list = {Argument(7), Argument(from), Argument(to.slice(1))};
  sched::BoundLaunch bound;
  runtime::bind(bound, *core_, *module_->kernel("copy_first").state(), {}, list);
  bound.put_addresses();
  ASSERT_EQ(bound.packed.size(), 24u);
  EXPECT_EQ(bound.packed[4], std::byte{0});  // between parameters
  const FakeLaunch launched{.parameters = bound.arguments()};
  EXPECT_EQ(launched.parameter<int>(0), 7);
  EXPECT_EQ(launched.parameter<std::uint64_t>(8), from.buffer()->array().address(0));
  EXPECT_EQ(launched.parameter<std::uint64_t>(16), to.buffer()->array().address(0) + sizeof(float));
}

TEST_F(ArgumentTest, BlockRangesMustLieInTheGrid) {
  start({"near"});
  const Array<float> data = array<float>(4);
  EXPECT_THROW(launch("add_to", {.grid = {4}, .blocks = BlockRange{2, 5}}, 4, 1.0f, data), Error);
  EXPECT_THROW(launch("add_to", {.grid = {4}, .blocks = BlockRange{3, 2}}, 4, 1.0f, data), Error);
  EXPECT_NO_THROW(launch("add_to", {.grid = {4}, .blocks = BlockRange{2, 4}}, 4, 1.0f, data));
}

}  // namespace
}  // namespace heddle::tests
