#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/error.hpp"
#include "programs/run/run.hpp"

namespace heddle::programs {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::string refusal(const std::vector<std::string>& words) {
  try {
    parse_run_options(words);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(RunOptions, OptionsEndWhereTheProgramBegins) {
  const RunOptions options = parse_run_options(
      {"--device", "cpu", "--slice=3", "--check", "--policy", "slice:8", "--trace", "t.json", "./a", "--device", "b"});
  EXPECT_EQ(options.device, "cpu");
  EXPECT_EQ(options.slice, 3u);
  EXPECT_TRUE(options.check);
  EXPECT_EQ(options.policy, "slice:8");
  EXPECT_EQ(options.trace, "t.json");
  EXPECT_EQ(options.program, "./a");
  EXPECT_THAT(options.arguments, ElementsAre("--device", "b"));
  const RunOptions plain = parse_run_options({"--", "-odd", "--check"});
  EXPECT_EQ(plain.program, "-odd");
  EXPECT_THAT(plain.arguments, ElementsAre("--check"));
  EXPECT_FALSE(plain.check);
  EXPECT_EQ(options.check, Checks(true));
  EXPECT_EQ(parse_run_options({"--check=race,leak", "a"}).check.names(), "race,leak");
}

TEST(RunOptions, WhatIsWrongIsNamed) {
  EXPECT_THAT(refusal({"--fast", "a"}), HasSubstr("--fast"));
  EXPECT_THAT(refusal({"--slice", "0", "a"}), HasSubstr("--slice 0"));
  EXPECT_THAT(refusal({"--slice", "3x", "a"}), HasSubstr("3x"));
  EXPECT_THAT(refusal({"--device", "gpu0", "a"}), HasSubstr("'gpu0' is no device"));
  EXPECT_THAT(refusal({"--device", "cuda:0,", "a"}), HasSubstr("'' is no device"));
  EXPECT_THAT(refusal({"--device", "cuda:x", "a"}), HasSubstr("'cuda:x' is no device"));
  for (const char* good : {"gpus", "cpu", "interp", "cuda:1,cuda:0,cpu"})
    EXPECT_EQ(parse_run_options({"--device", good, "a"}).device, good);
  EXPECT_THAT(refusal({"--trace", "none/t.json", "a"}), HasSubstr("there is no folder"));
  EXPECT_THAT(refusal({"--trace", ".", "a"}), HasSubstr("the name of a file"));
  EXPECT_THAT(refusal({"--device"}), HasSubstr("--device lacks its value"));
  EXPECT_THAT(refusal({"--check"}), HasSubstr("no program"));
  EXPECT_THAT(refusal({"--check=rase", "a"}), HasSubstr("did you mean 'race'?"));
}

TEST(RunEnvironment, HeddlesLibrariesComeFirst) {
  RunOptions options;
  options.device = "cpu";
  options.slice = 7;
  options.check = true;
  const auto all = run_environment(options, {"A=1", "LD_LIBRARY_PATH=/mine", "HEDDLE_RUN_DEVICE=old"}, "/libs", {});
  EXPECT_THAT(all, Contains("A=1"));
  EXPECT_THAT(all, Contains("LD_LIBRARY_PATH=/libs:/mine"));
  EXPECT_THAT(all, Contains("HEDDLE_RUN_DEVICE=cpu"));
  EXPECT_THAT(all, Contains("HEDDLE_RUN_SLICE=7"));
  EXPECT_THAT(all, Contains("HEDDLE_RUN_CHECK=memory"));
  EXPECT_THAT(all, Not(Contains(StartsWith("LD_PRELOAD"))));
  EXPECT_EQ(all.size(), 5u);
  EXPECT_THAT(run_environment({}, {}, "/libs", {"libcudart.so.12"}),
              ElementsAre("LD_LIBRARY_PATH=/libs", "LD_PRELOAD=/libs/libcudart.so.12"));
}

}  // namespace
}  // namespace heddle::programs
