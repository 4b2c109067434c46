// Objects that were moved from say so, all of them, in every member.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* source = R"(
.version 7.8
.target sm_80
.address_size 64
.global .u32 kept;
.visible .entry set(.param .u64 p) {
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  st.global.u32 [%rd1], 7;
  ret;
}
)";

class MovedFrom : public testing::Test {
 protected:
  static void refused(const char* what, const std::function<void()>& use) {
    try {
      use();
      ADD_FAILURE() << "no error from a " << what << " that was moved from";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_THAT(error.what(), AllOf(HasSubstr(what), HasSubstr("moved from")));
    }
  }
  // The value, and what is left of an object when it is moved away.
  template <typename T>
  T taken(T& object) {
    return T(std::move(object));
  }

  Runtime runtime_{RuntimeOptions{.devices = "cpu", .workers = 2}};
  Module module_ = runtime_.load_ptx(source);
  Array<int> array_ = runtime_.array<int>(4);
};

TEST_F(MovedFrom, Runtimes) {
  Runtime now = taken(runtime_);
  const char* what = "heddle::Runtime";
  refused(what, [&] { runtime_.devices(); });
  refused(what, [&] { runtime_.measured_bandwidth(); });
  refused(what, [&] { runtime_.compile_file("absent.cu"); });
  refused(what, [&] { runtime_.compile("no C++"); });
  refused(what, [&] { runtime_.load_ptx(source); });
  refused(what, [&] { runtime_.load_ptx_file("absent.ptx"); });
  refused(what, [&] { runtime_.load_file("absent.ptx"); });
  refused(what, [&] { runtime_.array<int>(1); });
  refused(what, [&] { runtime_.array(std::vector<int>{1}); });
  refused(what, [&] { runtime_.launch(module_.kernel("set"), {}, array_); });
  refused(what, [&] { runtime_.synchronize(); });
  now.launch(module_.kernel("set"), {}, array_);
  EXPECT_EQ(array_.read()[0], 7);
  runtime_ = std::move(now);
  EXPECT_EQ(runtime_.devices().size(), 1u);
}

TEST_F(MovedFrom, Arrays) {
  Array<int> now = taken(array_);
  const char* what = "heddle::Array";
  refused(what, [&] { static_cast<void>(array_.size()); });
  refused(what, [&] { static_cast<void>(array_.bytes()); });
  refused(what, [&] { array_.read(); });
  refused(what, [&] { array_.write(); });
  refused(what, [&] { array_.address(); });
  refused("argument 1", [&] { runtime_.launch(module_.kernel("set"), {}, array_); });
  refused("argument 1", [&] { runtime_.launch(module_.kernel("set"), {}, array_.slice(1)); });
  refused("argument 1", [&] { runtime_.launch(module_.kernel("set"), {}, ArraySlice<int>{}); });
  Argument argument(now);
  const Argument other = taken(argument);  // refers to the array as well
  runtime_.launch_list(module_.kernel("set"), {}, {&other, 1});
  EXPECT_EQ(now.read()[0], 7);
}

TEST_F(MovedFrom, LargeArgumentsHoldNoBytes) {
  Argument argument(std::array<double, 8>{});
  EXPECT_EQ(argument.value().size(), 64u);
  const Argument other = taken(argument);
  EXPECT_EQ(other.value().size(), 64u);
  EXPECT_TRUE(argument.value().empty());
}

TEST_F(MovedFrom, Modules) {
  const Module now = taken(module_);
  const char* what = "heddle::Module";
  refused(what, [&] { module_.kernel("set"); });
  refused(what, [&] { module_.kernel_names(); });
  refused(what, [&] { module_.ptx(); });
  refused(what, [&] { module_.set_variable("kept", 1); });
  refused(what, [&] { module_.variable<int>("kept"); });
  EXPECT_EQ(now.kernel_names().size(), 1u);
}

TEST_F(MovedFrom, Kernels) {
  Kernel kernel = module_.kernel("set");
  const Kernel now = taken(kernel);
  const char* what = "heddle::Kernel";
  refused(what, [&] { kernel.name(); });
  refused(what, [&] { kernel.info(); });
  refused(what, [&] { runtime_.launch(kernel, {}, array_); });
  EXPECT_EQ(now.name(), "set");
}

TEST_F(MovedFrom, Launches) {
  Launch launch = runtime_.launch(module_.kernel("set"), {}, array_);
  const Launch now = taken(launch);
  const char* what = "heddle::Launch";
  refused(what, [&] { static_cast<void>(launch.done()); });
  refused(what, [&] { launch.wait(); });
  refused(what, [&] { launch.seconds(); });
  refused(what, [&] { launch.device(); });
  now.wait();
  EXPECT_TRUE(now.done());
}

}  // namespace
}  // namespace heddle::tests
