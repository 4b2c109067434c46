// What policies change, and what overlaps.
#include <gmock/gmock.h>

#include <thread>

#include "fixture.hpp"

namespace heddle::tests {
namespace {

using testing::ElementsAre;

class SchedulingTest : public RuntimeTest {};

TEST_F(SchedulingTest, SynchronousLaunchesAreDoneWhenTheyReturn) {
  start({"near"}, {.execution = Scheduling::Execution::sync});
  Array<float> data = floats({1});
  EXPECT_TRUE(launch("add_to", {}, 1, 1.0f, data).done());
}

TEST_F(SchedulingTest, LaunchesOfDifferentArraysHaveQueuesOfTheirOwn) {
  start({"near"});
  Array<float> a = floats({1}), b = floats({2});
  launch("add_to", {}, 1, 1.0f, a);
  launch("add_to", {}, 1, 1.0f, b);
  launch("add_to", {}, 1, 1.0f, a);
  EXPECT_EQ(devices_[0]->queues(), 2u);
  EXPECT_THAT(a.read(), ElementsAre(3));
}

TEST_F(SchedulingTest, ReadersOverlapUnlessModesAreLeftOut) {
  for (const auto& [dependences, queues] :
       {std::pair(Scheduling::Dependences::with_const, 2u), std::pair(Scheduling::Dependences::no_const, 1u)}) {
    start({"near"}, {.dependences = dependences});
    Array<float> from = floats({1}), a = floats({0}), b = floats({0});
    launch("copy_first", {}, 1, from, a);
    launch("copy_first", {}, 1, from, b);
    EXPECT_EQ(devices_[0]->queues(), queues);
    EXPECT_THAT(b.read(), ElementsAre(1));
  }
}

TEST_F(SchedulingTest, PartsOfAnArrayOverlapOnlyWhereTheyDo) {
  start({"near"});
  Array<float> data = floats({1, 2, 3, 4});
  launch("add_to", {}, 2, 10.0f, data.slice(0, 2));
  launch("add_to", {}, 2, 20.0f, data.slice(2, 2));
  EXPECT_EQ(devices_[0]->queues(), 2u);
  launch("add_to", {}, 2, 100.0f, data.slice(1, 2));
  EXPECT_EQ(devices_[0]->queues(), 2u);
  EXPECT_THAT(data.read(), ElementsAre(11, 112, 123, 24));
}

TEST_F(SchedulingTest, BytesMoveOnceForManyReadersAndOnlyThoseThatChanged) {
  start({"far"});
  Array<float> from = floats({1, 2, 3, 4}), a = floats({0}), b = floats({0});
  launch("copy_first", {}, 1, from, a);
  launch("copy_first", {}, 1, from, b);
  EXPECT_THAT(a.read(), ElementsAre(1));
  EXPECT_THAT(b.read(), ElementsAre(1));
  EXPECT_EQ(logged("far: copy 16"), 1);
  launch("add_to", {}, 2, 1.0f, from.slice(2, 2));
  EXPECT_THAT(from.read(), ElementsAre(1, 2, 4, 5));
  EXPECT_EQ(logged("far: copy 8"), 1);  // the two that were modified
}

TEST_F(SchedulingTest, WithoutPrefetchOthersLaunchWhileOneWaits) {
  start({"far1", "far2"}, {.prefetch = false});
  Array<float> data = floats({1}), seen = floats({0});
  launch("add_to", {.device = "far2"}, 1, 1.0f, data);
  while_adding_ = [&] { launch("copy_first", {.device = "far2"}, 1, data, seen); };
  launch("add_to", {.device = "far1"}, 1, 1.0f, data);  // waits for far2's bytes, so for its kernel, which launches
  EXPECT_FALSE(while_adding_);
  launch("copy_first", {.device = "far2"}, 1, data, seen);
  EXPECT_THAT(seen.read(), ElementsAre(3));
}

TEST_F(SchedulingTest, ArraysWithAnAddressMayEndDuringALaunch) {
  start({"far"});
  std::optional<Array<float>> data = floats({1});
  Array<float> other = floats({5});
  launch("add_to", {}, 1, 1.0f, other);
  data->address("far");
  data->write()[0] = 2;  // so that the next launch copies
  std::thread ending;
  while_copying_ = [&] { ending = std::thread([&] { data.reset(); }); };  // waits for the launch
  launch("add_to", {}, 1, 1.0f, other);
  ending.join();
  EXPECT_FALSE(data);
  EXPECT_EQ(devices_[0]->live_allocations(), 1u);
  EXPECT_THAT(other.read(), ElementsAre(7));
}

TEST_F(SchedulingTest, TheHostReadsWhatKernelsRead) {
  start({"near"});
  Array<float> from = floats({1}), to = floats({0});
  const Launch copying = launch("copy_first", {}, 1, from, to);
  EXPECT_THAT(from.read(), ElementsAre(1));
  EXPECT_FALSE(copying.done());  // fake queues run when somebody waits
  from.write()[0] = 5;           // which must wait
  EXPECT_TRUE(copying.done());
  EXPECT_THAT(to.read(), ElementsAre(1));
}

}  // namespace
}  // namespace heddle::tests
