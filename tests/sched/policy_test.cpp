#include "sched/make_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "heddle/error.hpp"

namespace heddle::sched {
namespace {

using testing::AllOf;
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
  EXPECT_NE(make_policy("bounded:50"), nullptr);
  const auto message = [](std::string_view name) -> std::string {
    try {
      make_policy(name);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(message("fast"), HasSubstr("there is no policy 'fast'; there are direct, slice:BLOCKS"));
  EXPECT_THAT(message("slice:0"), HasSubstr("a whole number from 1 to 2147483647 (without one: 64)"));
  EXPECT_THAT(message("slice:4x"), HasSubstr("the parameter of the policy 'slice' is '4x'"));
}

// Each policy says what its parameter is.
TEST(Policy, ParametersOutOfTheirRangeAreRefused) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      make_policy(text);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  const std::tuple<std::string, std::uint64_t, std::uint64_t> ranges[] = {
      {"slice", 1, 2147483647},       {"bounded", 50, 10'000'000}, {"base", 1, 128},          {"static", 1, 64},
      {"timeslice", 100, 10'000'000}, {"reef", 1, 1024},           {"orion", 50, 10'000'000}, {"tgs", 100, 10'000'000}};
  for (const auto& [name, least, most] : ranges) {
    for (const std::uint64_t good : {least, most})
      EXPECT_EQ(message(name + ":" + std::to_string(good)), "accepted") << name;
    const std::string range = "from " + std::to_string(least) + " to " + std::to_string(most);
    for (const std::string& wrong :
         {std::to_string(least - 1), std::to_string(most + 1), std::string("-5"), std::string("+20"),
          std::string("500.5"), std::string("99999999999999999999999"), std::string(" 500"), std::string("500,")})
      EXPECT_THAT(message(name + ":" + wrong),
                  AllOf(HasSubstr("the parameter of the policy '" + name + "' is '" + wrong + "'"), HasSubstr(range)));
  }
  EXPECT_EQ(message("mc:18446744073709551615"), "accepted");
  for (const char* name : {"", "direct", "slice", "lithos", "kernelet", "priority", "static", "none"})
    EXPECT_THAT(message(std::string(name) + ":"), HasSubstr("ends with a colon")) << name;
  EXPECT_THAT(message(":4"), HasSubstr("there is no policy ''"));
  EXPECT_THAT(message("lithos:atom=0"),
              HasSubstr("'atom' of the policy 'lithos' is '0'; it must be a number from 1 to"));
  EXPECT_THAT(message("lithos:atom=1e9"), HasSubstr("it must be a number from 1 to 10000000"));
  EXPECT_THAT(message("lithos:linger=nan"), HasSubstr("it must be a number from 0 to 10000000"));
  EXPECT_THAT(message("lithos:slip=1000"), HasSubstr("it must be a number from 1 to 100"));
  EXPECT_THAT(message("lithos:,"), HasSubstr("has no option ''"));
}

TEST(Policy, StaticSaysWhereItsStepIsMoreThanTheDevice) {
  EXPECT_EQ(note_on_policy("static:4", "cpu", 4), "");
  EXPECT_EQ(note_on_policy("static", "cpu", 1), "");
  EXPECT_EQ(note_on_policy("slice:64", "cpu", 4), "");
  EXPECT_EQ(note_on_policy("", "cpu", 4), "");
  EXPECT_EQ(note_on_policy("static:5", "cpu", 4),
            "the policy static:5: cpu has 4 units, so a tenant gets all of it, or nothing");
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
