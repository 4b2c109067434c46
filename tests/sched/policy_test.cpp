#include "sched/make_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "heddle/error.hpp"

namespace heddle::sched {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// What a policy is shown: one device, one queue unless said otherwise.
struct Scene {
  QueueView low{.id = 0, .name = "low"}, high{.id = 1, .name = "high", .priority = 1};
  std::vector<TaskView> tasks;
  std::vector<DeviceView> devices{{.processors = 4}};
  View view() const { return {0, tasks, devices}; }
  void add(std::uint64_t blocks, bool divisible, double seconds_per_block, bool urgent = false) {
    tasks.push_back({.id = tasks.size() + 1,
                     .name = "k",
                     .queue = urgent ? &high : &low,
                     .left = {0, blocks},
                     .blocks = blocks,
                     .divisible = divisible,
                     .seconds_per_block = seconds_per_block});
  }
  // "task:blocks" of each decision.
  std::vector<std::string> decide(Policy& policy) const {
    std::vector<Decision> decisions;
    policy.decide(view(), decisions);
    std::vector<std::string> made;
    for (const Decision& decision : decisions)
      made.push_back(std::to_string(decision.task) + ":" + std::to_string(decision.blocks));
    return made;
  }
};

TEST(Policy, IsFoundByName) {
  EXPECT_EQ(make_policy(""), nullptr);
  EXPECT_EQ(make_policy("direct"), nullptr);
  EXPECT_NE(make_policy("slice"), nullptr);
  EXPECT_NE(make_policy("bounded:20"), nullptr);
  const auto message = [](std::string_view name) -> std::string {
    try {
      make_policy(name);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(message("fast"), HasSubstr("there is no policy 'fast'; there are direct, slice:BLOCKS"));
  EXPECT_THAT(message("slice:0"), HasSubstr("must be a positive number"));
  EXPECT_THAT(message("slice:4x"), HasSubstr("must be a positive number"));
}

TEST(Policy, SliceCutsWhatCanBeCut) {
  const auto policy = make_policy("slice:4");
  Scene scene;
  scene.add(10, true, 0);
  scene.add(10, false, 0);
  scene.add(4, true, 0);
  EXPECT_THAT(scene.decide(*policy), ElementsAre("0:4", "0:4", "0:0", "1:0", "2:0"));
}

TEST(Policy, BoundedKeepsToItsBound) {
  const auto policy = make_policy("bounded:100");
  Scene scene;
  scene.add(1000, true, 1e-6);
  scene.add(1000, true, 1e-6);
  EXPECT_THAT(scene.decide(*policy), ElementsAre("0:100"));
  scene.devices[0].ranges = 1;
  scene.devices[0].predicted_seconds = 60e-6;
  EXPECT_THAT(scene.decide(*policy), ElementsAre("0:40"));
  scene.devices[0].predicted_seconds = 100e-6;
  EXPECT_THAT(scene.decide(*policy), ElementsAre());
}

TEST(Policy, BoundedTakesTheUrgentFirst) {
  const auto policy = make_policy("bounded:100");
  Scene scene;
  scene.add(1000, true, 1e-6);
  scene.add(70, true, 1e-6, true);
  EXPECT_THAT(scene.decide(*policy), ElementsAre("1:70", "0:30"));
}

TEST(Policy, BoundedLearnsFromTheFirstBlocks) {
  const auto policy = make_policy("bounded:100");
  Scene scene;
  scene.add(1000, true, 0);
  scene.add(1000, true, 1e-6);
  EXPECT_THAT(scene.decide(*policy), ElementsAre("0:4")) << "one for each processor, alone";
  scene.devices[0] = {.processors = 4, .ranges = 1, .unknown_ranges = 1};
  EXPECT_THAT(scene.decide(*policy), ElementsAre());
}

TEST(Policy, BoundedSubmitsWhatIsTooLongWhenNothingElseIsThere) {
  const auto policy = make_policy("bounded:100");
  Scene scene;
  scene.add(10, false, 1);
  EXPECT_THAT(scene.decide(*policy), ElementsAre("0:10"));
  scene.devices[0].ranges = 1;
  EXPECT_THAT(scene.decide(*policy), ElementsAre());
  scene.tasks.clear();
  scene.add(10, true, 1);
  scene.devices[0].ranges = 0;
  EXPECT_THAT(scene.decide(*policy), ElementsAre("0:1")) << "one block at least";
}

}  // namespace
}  // namespace heddle::sched
