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
      {"--device", "cpu", "--check", "--policy", "slice:8", "--trace", "t.json", "./a", "--device", "b"});
  EXPECT_EQ(options.device, "cpu");
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
  EXPECT_EQ(parse_run_options({"--slice=3", "a"}).slice, 3u);
  EXPECT_EQ(parse_run_options({"--check=race,leak", "a"}).check.names(), "race,leak");
}

TEST(RunOptions, WhatIsWrongIsNamed) {
  EXPECT_THAT(refusal({"--fast", "a"}), HasSubstr("--fast"));
  EXPECT_THAT(refusal({"--slice", "0", "a"}), HasSubstr("--slice 0"));
  EXPECT_THAT(refusal({"--slice", "3x", "a"}), HasSubstr("3x"));
  EXPECT_THAT(refusal({"--slice", "3", "--policy", "direct", "a"}), HasSubstr("--slice 3 and --policy direct"));
  for (const char* wrong : {"0", "-1", "nan", "1e99", "2s"})
    EXPECT_THAT(refusal({"--timeout", wrong, "a"}), HasSubstr(wrong));
  EXPECT_THAT(refusal({"--device", "gpu0", "a"}), HasSubstr("'gpu0' is no device"));
  EXPECT_THAT(refusal({"--device", "cuda:0,", "a"}), HasSubstr("'' is no device"));
  EXPECT_THAT(refusal({"--device", "cuda:x", "a"}), HasSubstr("'cuda:x' is no device"));
  for (const char* good : {"gpus", "cpu", "interp", "cuda:1,cuda:0,cpu"})
    EXPECT_EQ(parse_run_options({"--device", good, "a"}).device, good);
  EXPECT_THAT(refusal({"--trace", "", "a"}), HasSubstr("its value is empty"));
  EXPECT_THAT(refusal({"--device"}), HasSubstr("--device lacks its value"));
  EXPECT_THAT(refusal({"--check"}), HasSubstr("no program"));
  EXPECT_THAT(refusal({"--check=rase", "a"}), HasSubstr("did you mean 'race'?"));
  EXPECT_THAT(refusal({"--device", "cpu", "--device=interp", "a"}), HasSubstr("--device is given twice"));
  EXPECT_THAT(refusal({"--check", "--check=race", "a"}), HasSubstr("--check is given twice"));
  EXPECT_THAT(refusal({"--device", "cpu", "a", "--device", "x", "--device", "y"}), IsEmpty());
}

TEST(RunThroughDriver, OnGpusWhereTheRuntimeStaysNvidias) {
  Inspection keeps_runtime, script;
  keeps_runtime.obstacle = "it contains NVIDIA's runtime";
  keeps_runtime.shares_runtime = true;
  Inspection replaceable;
  replaceable.shares_runtime = true;
  const RunOptions plain;
  EXPECT_TRUE(runs_through_driver(plain, keeps_runtime, true));
  EXPECT_TRUE(runs_through_driver(plain, script, true));
  EXPECT_FALSE(runs_through_driver(plain, replaceable, true));
  EXPECT_FALSE(runs_through_driver(plain, script, false));
}

TEST(RunThroughDriver, NotWithWhatNeedsHeddlesRuntime) {
  const Inspection script;
  const auto through = [&](auto&& set) {
    RunOptions options;
    set(options);
    return runs_through_driver(options, script, true);
  };
  EXPECT_TRUE(through([](RunOptions& o) { o.device = "gpus"; }));
  EXPECT_TRUE(through([](RunOptions& o) { o.device = "cuda:1,cuda:0"; }));
  EXPECT_TRUE(through([](RunOptions& o) { o.policy = "direct"; }));
  EXPECT_FALSE(through([](RunOptions& o) { o.device = "cpu"; }));
  EXPECT_FALSE(through([](RunOptions& o) { o.device = "cuda:0,cpu"; }));
  EXPECT_FALSE(through([](RunOptions& o) { o.device = "interp"; }));
  EXPECT_FALSE(through([](RunOptions& o) { o.slice = 8; }));
  EXPECT_FALSE(through([](RunOptions& o) { o.timeout_ms = 8; }));
  EXPECT_FALSE(through([](RunOptions& o) { o.check = true; }));
  EXPECT_FALSE(through([](RunOptions& o) { o.policy = "slice:8"; }));
}

TEST(RunThroughDriver, DevicesAreAmongTheVisibleOnes) {
  EXPECT_EQ(visible_devices("", "2,3"), "");
  EXPECT_EQ(visible_devices("gpus", ""), "");
  EXPECT_EQ(visible_devices("cuda:1,cuda:0", ""), "1,0");
  EXPECT_EQ(visible_devices("cuda:1,cuda:0", "5,7"), "7,5");
  EXPECT_EQ(visible_devices("cuda:0", "GPU-aa,GPU-bb"), "GPU-aa");
  try {
    visible_devices("cuda:2", "5,7");
    ADD_FAILURE() << "a device that is not visible was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_THAT(error.what(), HasSubstr("CUDA_VISIBLE_DEVICES=5,7 leaves no cuda:2"));
  }
}

TEST(RunEnvironment, HeddlesLibrariesComeFirst) {
  RunOptions options;
  options.device = "cpu";
  options.slice = 7;
  options.timeout_ms = parse_run_options({"--timeout=2.5", "a"}).timeout_ms;
  options.check = true;
  const auto all = run_environment(options, {"A=1", "LD_LIBRARY_PATH=/mine", "HEDDLE_RUN_DEVICE=old"}, "/libs", {});
  EXPECT_THAT(all, Contains("A=1"));
  EXPECT_THAT(all, Contains("LD_LIBRARY_PATH=/libs:/mine"));
  EXPECT_THAT(all, Contains("HEDDLE_RUN_DEVICE=cpu"));
  EXPECT_THAT(all, Contains("HEDDLE_RUN_SLICE=7"));
  EXPECT_THAT(all, Contains("HEDDLE_RUN_CHECK=memory"));
  EXPECT_THAT(all, Contains("HEDDLE_RUN_TIMEOUT_MS=2500"));
  EXPECT_THAT(all, Not(Contains(StartsWith("LD_PRELOAD"))));
  EXPECT_EQ(all.size(), 6u);
  EXPECT_THAT(run_environment({}, {}, "/libs", {"libcudart.so.12"}),
              ElementsAre("LD_LIBRARY_PATH=/libs", "LD_PRELOAD=/libs/libcudart.so.12"));
}

}  // namespace
}  // namespace heddle::programs
