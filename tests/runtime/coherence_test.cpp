// Which bytes move when, and who waits for whom.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/fixture.hpp"

namespace heddle::tests {
namespace {

using testing::Each;
using testing::ElementsAre;

class CoherenceTest : public RuntimeTest {};

TEST_F(CoherenceTest, ArraysBeginAsZeros) {
  start({"near"});
  EXPECT_THAT(array<float>(5).read(), Each(0.0f));
  Array<float> launched = array<float>(3);
  launch("add_to", {}, 3, 1.5f, launched);
  EXPECT_THAT(launched.read(), Each(1.5f));
  start({"far"});
  EXPECT_THAT(array<float>(5).read(), Each(0.0f));
  Array<float> far = array<float>(3);
  launch("add_to", {}, 3, 1.5f, far);
  EXPECT_THAT(far.read(), Each(1.5f));
}

TEST_F(CoherenceTest, HostSharesMemoryWhereItCan) {
  start({"near"});
  Array<float> data = floats({1, 2});
  launch("add_to", {}, 2, 1.0f, data);
  EXPECT_THAT(data.read(), ElementsAre(2, 3));
  EXPECT_EQ(logged("near: copy 8"), 0);
}

TEST_F(CoherenceTest, DataMovesToTheDeviceAndBackOnceEach) {
  start({"far"});
  Array<float> data = floats({1, 2});
  launch("add_to", {}, 2, 1.0f, data);
  launch("add_to", {}, 2, 1.0f, data);
  EXPECT_THAT(data.read(), ElementsAre(3, 4));
  EXPECT_THAT(data.read(), ElementsAre(3, 4));
  EXPECT_EQ(logged("far: copy 8"), 2);
}

TEST_F(CoherenceTest, WhatTheHostAlwaysReadsIsCopiedBackAtOnce) {
  start({"far"});
  Array<float> data = floats({0, 0});
  const auto round = [&](int launches) {
    for (int i = 0; i < launches; ++i) launch("add_to", {}, 2, 1.0f, data);
    core_->scheduler().synchronize();
    const int copied = logged("far: copy 8");
    static_cast<void>(data.read());
    return logged("far: copy 8") - copied;  // when the host asked for them
  };
  EXPECT_EQ(round(2), 1);
  EXPECT_EQ(round(2), 1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(round(2), 0);
  EXPECT_EQ(logged("far: copy 8"), 6);  // one to the device
  EXPECT_EQ(round(3), 1);               // and one in vain
  EXPECT_EQ(logged("far: copy 8"), 8);
  EXPECT_EQ(round(3), 1);
  EXPECT_EQ(round(3), 0);
  EXPECT_EQ(round(1), 1);
  EXPECT_THAT(data.read(), ElementsAre(20, 20));
}

TEST_F(CoherenceTest, PrefetchCopiesBehindTheLaunch) {
  start({"far"});
  Array<float> data = floats({1, 2, 3, 4});
  launch("add_to", {}, 4, 1.0f, data);
  data.prefetch(2, 2);
  core_->scheduler().synchronize();
  EXPECT_EQ(logged("far: copy 8"), 1);
  EXPECT_THAT(data.read(2, 2), ElementsAre(4, 5));
  EXPECT_EQ(logged("far: copy 8"), 1);
  data.prefetch();
  core_->scheduler().synchronize();
  EXPECT_EQ(logged("far: copy 8"), 2);  // the rest
  EXPECT_THAT(data.read(), ElementsAre(2, 3, 4, 5));
  EXPECT_EQ(logged("far: copy 8"), 2);
  // Launches after it count.
  launch("add_to", {}, 4, 1.0f, data);
  data.prefetch();
  launch("add_to", {}, 4, 1.0f, data);
  EXPECT_THAT(data.read(), ElementsAre(4, 5, 6, 7));
  EXPECT_THROW(data.prefetch(3, 2), Error);
}

TEST_F(CoherenceTest, PrefetchHasNothingToDoWhereTheHostSharesMemory) {
  start({"near"});
  Array<float> data = floats({1, 2});
  launch("add_to", {}, 2, 1.0f, data);
  data.prefetch();
  Array<float> untouched = array<float>(2);
  untouched.prefetch();
  EXPECT_THAT(data.read(), ElementsAre(2, 3));
  EXPECT_THAT(untouched.read(), Each(0.0f));
  EXPECT_EQ(logged("near: copy 8"), 0);
}

TEST_F(CoherenceTest, NothingIsCopiedBackAtOnceInSerialExecution) {
  start({"far"}, {.execution = Scheduling::Execution::sync});
  Array<float> data = floats({0, 0});
  for (int i = 0; i < 5; ++i) {
    launch("add_to", {}, 2, 1.0f, data);
    const int copied = logged("far: copy 8");
    static_cast<void>(data.read());
    EXPECT_EQ(logged("far: copy 8"), copied + 1);
  }
}

TEST_F(CoherenceTest, HostWritesReachTheDevice) {
  start({"far"});
  Array<float> data = floats({1, 2});
  launch("add_to", {}, 2, 1.0f, data);
  data.write()[0] = 100;
  launch("add_to", {}, 2, 1.0f, data);
  EXPECT_THAT(data.read(), ElementsAre(101, 4));
}

TEST_F(CoherenceTest, DevicesTakeTurns) {
  for (const auto& ids :
       {std::vector<std::string>{"near", "near2"}, {"near", "far"}, {"far", "far2"}, {"far", "near"}}) {
    start(ids);
    Array<float> data = floats({1, 2});
    for (int i = 0; i < 3; ++i) {
      for (const std::string& id : ids) launch("add_to", {.device = id}, 2, 1.0f, data);
    }
    EXPECT_THAT(data.read(), ElementsAre(7, 8)) << ids[0] << " " << ids[1];
  }
}

TEST_F(CoherenceTest, ReadersKeepTheirCopies) {
  start({"far", "far2"});
  Array<float> from = floats({1, 2}), a = array<float>(2), b = array<float>(2);
  for (int i = 0; i < 3; ++i) {
    launch("copy_first", {.device = "far"}, 2, from, a);
    launch("copy_first", {.device = "far2"}, 2, from, b);
  }
  EXPECT_THAT(a.read(), ElementsAre(1, 2));
  EXPECT_THAT(b.read(), ElementsAre(1, 2));
  EXPECT_EQ(logged("far: copy 8"), 2);  // in, and a out
  EXPECT_EQ(logged("far2: copy 8"), 2);
}

TEST_F(CoherenceTest, ReadingWaitsOnlyForWriters) {
  start({"near"});
  Array<float> from = floats({1, 2}), to = array<float>(2);
  const Launch copying = launch("copy_first", {}, 2, from, to);
  EXPECT_THAT(from.read(), ElementsAre(1, 2));
  EXPECT_FALSE(copying.done());
  EXPECT_THAT(to.read(), ElementsAre(1, 2));
  EXPECT_TRUE(copying.done());
}

TEST_F(CoherenceTest, WritingWaitsForReaders) {
  start({"near"});
  Array<float> from = floats({1, 2}), to = array<float>(2);
  const Launch copying = launch("copy_first", {}, 2, from, to);
  from.write()[0] = 50;
  EXPECT_TRUE(copying.done());
  EXPECT_THAT(to.read(), ElementsAre(1, 2));
}

TEST_F(CoherenceTest, UntouchedArraysAreNotWaitedFor) {
  start({"near"});
  Array<float> busy = floats({1}), idle = floats({5});
  const Launch adding = launch("add_to", {}, 1, 1.0f, busy);
  EXPECT_THAT(idle.read(), ElementsAre(5));
  idle.write()[0] = 6;
  EXPECT_FALSE(adding.done());
}

TEST_F(CoherenceTest, DestroyingAnArrayWaitsForItsUsers) {
  start({"near"});
  Launch adding = [&] {
    Array<float> data = floats({1, 2});
    return launch("add_to", {}, 2, 1.0f, data);
  }();
  EXPECT_TRUE(adding.done());
  EXPECT_EQ(devices_[0]->live_allocations(), 0u);
}

TEST_F(CoherenceTest, AddressKeepsAnArrayOnTheDevice) {
  start({"far", "far2"});
  Array<float> hidden = floats({1, 2}), other = floats({0, 0});
  const std::uint64_t address = hidden.address("far");
  hidden.write()[0] = 40;                               // the host's copy is the only current one now
  launch("add_to", {.device = "far"}, 2, 1.0f, other);  // may read it: it must be there
  core_->scheduler().synchronize();
  EXPECT_EQ(*at(address), 40);
  at(address)[1] = 9;  // as a kernel might that found the pointer
  EXPECT_THAT(hidden.read(), ElementsAre(40, 9));
}

TEST_F(CoherenceTest, EmptyArrays) {
  start({"far"});
  Array<float> empty = array<float>(0);
  launch("add_to", {}, 0, 1.0f, empty).wait();
  EXPECT_TRUE(empty.read().empty());
  EXPECT_TRUE(empty.write().empty());
}

// A GPU copies from and to ordinary memory at a fraction of its link's speed, and makes the host wait for it.
TEST_F(CoherenceTest, MemoryOfTheCpuIsPinnedWhereAGpuCopiesIt) {
  start({"cpu", "far gpu"});
  {
    Array<float> large = array<float>(16 * 1024), small = floats({1, 2});
    large.write()[0] = 3;
    launch("add_to", {.device = "far gpu"}, 1, 1.0f, large);
    launch("add_to", {.device = "far gpu"}, 1, 1.0f, small);
    EXPECT_EQ(large[0], 4);
    EXPECT_EQ(small[0], 2);
    EXPECT_FALSE(Argument(large).host_only());
    large.write();
    EXPECT_TRUE(Argument(large).host_only());
  }
  EXPECT_EQ(std::ranges::count(log_, "far gpu: register 65536"), 1);
  EXPECT_EQ(std::ranges::count(log_, "far gpu: unregister 65536"), 1);
  EXPECT_EQ(
      std::ranges::count_if(log_, [](const std::string& line) { return line.find("register") != std::string::npos; }),
      2);
}

TEST_F(CoherenceTest, MemoryThatCannotBePinnedIsCopiedAsItIs) {
  start({"cpu", "far gpu"});
  devices_[1]->registers = false;
  Array<float> large = array<float>(16 * 1024);
  large.write()[0] = 3;
  launch("add_to", {.device = "far gpu"}, 1, 1.0f, large);
  EXPECT_EQ(large[0], 4);
}

TEST_F(CoherenceTest, WithoutAGpuNothingIsPinned) {
  start({"cpu", "far"});
  Array<float> large = array<float>(16 * 1024);
  large.write()[0] = 3;
  launch("add_to", {.device = "far"}, 1, 1.0f, large);
  EXPECT_EQ(large[0], 4);
  EXPECT_THAT(log_, testing::Not(testing::Contains(testing::HasSubstr("register"))));
}

TEST_F(CoherenceTest, SameArrayTwice) {
  start({"far"});
  Array<float> data = floats({1, 2, 0, 0});
  launch("copy_first", {}, 2, data, data.slice(2));
  EXPECT_THAT(data.read(), ElementsAre(1, 2, 1, 2));
}

TEST_F(CoherenceTest, LaunchesAreTimed) {
  start({"near"});
  Array<float> data = floats({1});
  const Launch adding = launch("add_to", {.timed = true}, 1, 1.0f, data);
  EXPECT_NEAR(adding.seconds(), 2e-9, 1e-12);  // the launch and the record after it
  EXPECT_EQ(adding.device(), "near");
  // Making code comes before the event that a launch's time begins with.
  EXPECT_THAT(log_, ElementsAre("near: prepare add_to", "near: record", "near: record", "near: launch add_to"));
}

// Each is done at once, and alone in its queue when the scheduler asks which tasks are done.
TEST_F(CoherenceTest, EveryOneOfManyLaunchesIsTimed) {
  start({"near"});
  Array<float> data = floats({1});
  for (int i = 0; i < 100; ++i) EXPECT_GT(launch("add_to", {.timed = true}, 1, 1.0f, data).seconds(), 0) << i;
}

TEST_F(CoherenceTest, OtherLaunchesHaveNoTime) {
  start({"near"});
  Array<float> data = floats({1});
  const Launch adding = launch("add_to", {}, 1, 1.0f, data);
  adding.wait();
  try {
    adding.seconds();
    FAIL() << "a launch that was not timed has a time";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_STREQ(error.what(), "the launch of kernel add_to was not timed: set LaunchOptions::timed");
  }
}

TEST_F(CoherenceTest, KernelsHaveAHistory) {
  start({"near"});
  Array<float> data = floats({1});
  const Kernel kernel = module_->kernel("add_to");
  EXPECT_EQ(kernel.history().launches, 0u);
  for (unsigned i = 1; i <= 130; ++i) launch("add_to", {.grid = {i}, .block = {32, 2}, .shared = 64}, 1, 1.0f, data);
  core_->scheduler().synchronize();
  KernelHistory history = kernel.history();
  EXPECT_EQ(history.launches, 130u);
  EXPECT_EQ(history.timed, 4u + 2u);  // the first four, 64 and 128
  EXPECT_NEAR(history.mean_seconds, 2e-9, 1e-12);
  EXPECT_NEAR(history.last_seconds, 2e-9, 1e-12);
  EXPECT_EQ(history.last_grid, Dim3{130});
  EXPECT_EQ(history.last_block, (Dim3{32, 2}));
  EXPECT_EQ(history.last_shared, 64u);
  launch("add_to", {.timed = true}, 1, 1.0f, data).wait();
  history = kernel.history();
  EXPECT_EQ(history.launches, 131u);
  EXPECT_EQ(history.timed, 7u);
  EXPECT_EQ(module_->kernel("copy_first").history().launches, 0u);
}

}  // namespace
}  // namespace heddle::tests
