// Launches that run for longer than RuntimeOptions::launch_timeout_ms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "heddle/runtime.hpp"

namespace heddle {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* source = R"(
extern "C" __global__ void endless(volatile int* p) {
  for (int i = 0;; ++i) {
    p[threadIdx.x] = i;
    if (i < 0) break;
    i &= 0xffff;
  }
}
extern "C" __global__ void one_warp_loops(volatile int* p) {
  if (threadIdx.x >= 96)
    for (int i = 1; i != 0; i = (i + 2) & 0xffff) p[threadIdx.x] = i;
  __syncthreads();
  p[threadIdx.x] = 0;
}
extern "C" __global__ void fill(int* p, int value) { p[blockIdx.x * blockDim.x + threadIdx.x] = value; }
)";

class TimeLimit : public testing::TestWithParam<const char*> {
 protected:
  static Runtime runtime(std::uint64_t timeout_ms) {
    return Runtime({.devices = GetParam(), .workers = 2, .launch_timeout_ms = timeout_ms});
  }
};

std::string message_of(const Launch& launch) {
  try {
    launch.wait();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kernel_fault) << error.what();
    EXPECT_EQ(error.fault(), KernelFault::timeout) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "the launch has ended";
  return {};
}

TEST_P(TimeLimit, EndsALoopAndSaysWhereItStood) {
  Runtime heddle = runtime(100);
  const Module module = heddle.compile(source, "endless.cu");
  auto array = heddle.array<int>(64);
  const std::string message = message_of(heddle.launch(module.kernel("endless"), {.grid = 3, .block = 64}, array));
  EXPECT_THAT(message, AllOf(HasSubstr("'endless"), HasSubstr("has run for 100 ms, its time limit"),
                             HasSubstr("block (0, 0, 0): "), HasSubstr("endless.cu:")));
  // The device is as good as before.
  auto other = heddle.array<int>(256);
  heddle.launch(module.kernel("fill"), {.grid = 4, .block = 64}, other, 7);
  for (const int value : other.read()) ASSERT_EQ(value, 7);
}

TEST_P(TimeLimit, NamesTheBarrierAtWhichOthersWait) {
  Runtime heddle = runtime(100);
  const Module module = heddle.compile(source, "endless.cu");
  auto array = heddle.array<int>(128);
  const std::string message = message_of(heddle.launch(module.kernel("one_warp_loops"), {.block = 128}, array));
  EXPECT_THAT(message, AllOf(HasSubstr("barrier 0"), HasSubstr("endless.cu:11"), HasSubstr("endless.cu:12")));
}

TEST_P(TimeLimit, IsNoLongerThanCanBeCounted) {
  for (const std::uint64_t ms : {std::uint64_t{1'000'000'000'001}, ~std::uint64_t{0}}) EXPECT_THROW(runtime(ms), Error);
  Runtime heddle = runtime(1'000'000'000'000);
  const Module module = heddle.compile(source, "endless.cu");
  auto array = heddle.array<int>(256);
  heddle.launch(module.kernel("fill"), {.grid = 1, .block = 64}, array, 7).wait();
}

TEST_P(TimeLimit, ManyLaunchesWithinItAreNotTouched) {
  Runtime heddle = runtime(60'000);
  const Module module = heddle.compile(source, "endless.cu");
  auto array = heddle.array<int>(256);
  for (int i = 0; i < 200; ++i) heddle.launch(module.kernel("fill"), {.grid = 4, .block = 64}, array, i);
  for (const int value : array.read()) ASSERT_EQ(value, 199);
}

TEST_P(TimeLimit, OneLaunchAfterTheOther) {
  Runtime heddle = runtime(30);
  const Module module = heddle.compile(source, "endless.cu");
  auto array = heddle.array<int>(64);
  for (int i = 0; i < 5; ++i)
    EXPECT_THAT(message_of(heddle.launch(module.kernel("endless"), {.grid = 8, .block = 64}, array)),
                HasSubstr("has run for 30.0 ms"));
}

INSTANTIATE_TEST_SUITE_P(Devices, TimeLimit, testing::Values("cpu", "interp", "sim:tesla-g80"), [](const auto& device) {
  const std::string id = device.param;
  return id.substr(0, id.find(':'));
});

}  // namespace
}  // namespace heddle
