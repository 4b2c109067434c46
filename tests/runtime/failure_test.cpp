// Errors of kernels: who hears of them, and that the runtime goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/fixture.hpp"

namespace heddle::tests {
namespace {

using testing::ElementsAre;

class FailureTest : public RuntimeTest {};

TEST_F(FailureTest, LaunchTellsItsError) {
  start({"near"});
  const Launch failing = launch("fails", {});
  EXPECT_THROW(failing.wait(), Error);
  EXPECT_TRUE(failing.done());
}

TEST_F(FailureTest, LaunchesAfterAFailureAreSkippedUntilItIsTold) {
  start({"near"});
  Array<float> data = floats({1});
  launch("fails_with", {}, data);
  launch("add_to", {}, 1, 1.0f, data);
  EXPECT_THROW(data.read(), Error);
  EXPECT_THAT(data.read(), ElementsAre(1));  // told once
  launch("add_to", {}, 1, 1.0f, data);
  EXPECT_THAT(data.read(), ElementsAre(2));
}

TEST_F(FailureTest, IsToldToWhoDependsOnIt) {
  start({"near"});
  Array<float> data = floats({1}), one = floats({0}), other = floats({0}), free = floats({5});
  launch("fails_with", {}, data);
  launch("copy_first", {}, 1, data, one);    // in the queue of what failed
  launch("copy_first", {}, 1, data, other);  // in another one
  launch("add_to", {}, 1, 1.0f, free);
  EXPECT_THAT(free.read(), ElementsAre(6));
  EXPECT_THROW(other.read(), Error);
  EXPECT_THROW(one.read(), Error);  // it was skipped
  EXPECT_NO_THROW(core_->scheduler().synchronize());
}

TEST_F(FailureTest, WhatGetsNoQueueIsToldAndOver) {
  start({"near"});
  Array<float> data = floats({1}), other = floats({2});
  devices_[0]->failing_queues = 1;
  EXPECT_THROW(launch("add_to", {}, 1, 1.0f, data), Error);
  launch("add_to", {}, 1, 1.0f, data);
  devices_[0]->failing_queues = 1;
  EXPECT_THROW(launch("add_to", {}, 1, 1.0f, other), Error);  // wants a queue of its own
  launch("copy_first", {}, 1, data, other);
  EXPECT_THAT(other.read(), ElementsAre(2));
  EXPECT_THAT(data.read(), ElementsAre(2));
  EXPECT_NO_THROW(core_->scheduler().synchronize());
  EXPECT_EQ(core_->scheduler().dag().active(), 0u);
}

TEST_F(FailureTest, AHostWithoutMemoryFailsTheLaunchAlone) {
  start({"far"});
  Array<float> data = floats({1});
  devices_[0]->failing_allocations = 1;
  EXPECT_THROW(launch("add_to", {}, 1, 1.0f, data), std::bad_alloc);
  launch("add_to", {}, 1, 1.0f, data);
  EXPECT_THAT(data.read(), ElementsAre(2));
  EXPECT_EQ(devices_[0]->live_allocations(), 1u);
}

TEST_F(FailureTest, WhatGetsNoQueueComesBehindItsParents) {
  start({"far", "near2"});
  Array<float> data = floats({1});
  launch("add_to", {}, 1, 1.0f, data);
  devices_[1]->failing_queues = 1;
  EXPECT_THROW(launch("add_to", {.device = "near2"}, 1, 1.0f, data), Error);
  EXPECT_EQ(logged("far: launch add_to"), 1);
  launch("add_to", {}, 1, 1.0f, data);
  EXPECT_THAT(data.read(), ElementsAre(3));
}

TEST_F(FailureTest, SynchronizeTellsAndClears) {
  start({"near", "near2"});
  launch("fails", {.device = "near2"});
  EXPECT_THROW(core_->scheduler().synchronize(), Error);
  EXPECT_NO_THROW(core_->scheduler().synchronize());
}

TEST_F(FailureTest, OtherDevicesGoOn) {
  start({"near", "near2"});
  Array<float> data = floats({1});
  const Launch failing = launch("fails", {.device = "near2"});
  launch("add_to", {.device = "near"}, 1, 1.0f, data);
  EXPECT_THAT(data.read(), ElementsAre(2));
  EXPECT_THROW(failing.wait(), Error);
}

TEST_F(FailureTest, RefusedLaunchLeavesEverythingAsItWas) {
  start({"far"});
  Array<float> data = floats({1, 2});
  EXPECT_THROW(launch("add_to", {.block = {2048}}, 2, 1.0f, data), Error);
  EXPECT_THAT(data.read(), ElementsAre(1, 2));
  launch("add_to", {}, 2, 1.0f, data);
  EXPECT_THAT(data.read(), ElementsAre(2, 3));
}

TEST_F(FailureTest, UnknownDevicesAreNamed) {
  start({"near", "far"});
  try {
    launch("fails", {.device = "nowhere"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_THAT(error.what(), testing::HasSubstr("near, far"));
  }
}

}  // namespace
}  // namespace heddle::tests
