// Programs that are run for the table of compatibility: verdicts, limits, and what is left of them. Shell scripts stand
// in for the programs and for heddle.
#include "compat/survey.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <string>

#include "base/file.hpp"
#include "support/temporary_folder.hpp"
#include "support/wait_until.hpp"

namespace heddle::bench {
namespace {

namespace fs = std::filesystem;

class Survey : public testing::Test {
 protected:
  void script(const std::string& name, const std::string& text) {
    const fs::path file = folder_.path() / name;
    std::ofstream(file) << "#!/bin/sh\n" << text << '\n';
    fs::permissions(file, fs::perms::owner_all);
  }

  // Heddle's stand-in writes the options that it got to a file, and becomes the program.
  void SetUp() override {
    script(
        "heddle",
        R"(echo "$@" >> heddle_got; [ "$1" = run ] || exit 9; while [ "$1" != -- ]; do shift; done; shift; exec "$@")");
    options_.heddle = folder_.path() / "heddle";
    options_.logs = folder_.path() / "logs";
    fs::create_directories(options_.logs);
  }

  std::vector<Row> run(const std::string& list) {
    list_ = parse_program_list(list, folder_.path());
    return survey(list_, options_, [](const Row&, std::size_t) {});
  }

  Judgement only(const std::string& list) { return run(list).at(0).judgements.at(0); }

  tests::TemporaryFolder folder_;
  SurveyOptions options_;
  ProgramList list_;
};

TEST_F(Survey, KnowsASuccess) {
  script("good", "echo \"computing $1\"; echo 'Result = PASS'");
  const Judgement good = only("good: good 7\n  passes: ^Result = PASS$\n  fails: FAIL");
  EXPECT_EQ(good.verdict, Verdict::passed) << good.reason;
  EXPECT_GT(good.seconds, 0);
  EXPECT_EQ(*base::read_file_if_there(options_.logs / "good.0.log"), "computing 7\nResult = PASS\n");
}

TEST_F(Survey, KnowsFailures) {
  script("code", "echo 'CUDA error at line 3'; exit 1");
  script("word", "echo 'Result = FAIL'");
  const Judgement code = only("code: code");
  EXPECT_EQ(code.verdict, Verdict::failed);
  EXPECT_EQ(code.reason, "exit code 1: CUDA error at line 3");
  EXPECT_EQ(only("code: code\n  exit: 1").verdict, Verdict::passed);
  EXPECT_EQ(only("word: word\n  fails: = FAIL").reason, "Result = FAIL");
  EXPECT_THAT(only("word: word\n  passes: PASS").reason, testing::HasSubstr("no line fits PASS"));
}

TEST_F(Survey, ARefusalIsHeddlesOwnSentence) {
  script("refused",
         "echo 'heddle warning: slow' >&2; echo 'heddle error: f: no textures (cudaErrorNotSupported)' >&2; exit 2");
  const Judgement refused = only("refused: refused");
  EXPECT_EQ(refused.verdict, Verdict::refused);
  EXPECT_EQ(refused.reason, "heddle error: f: no textures (cudaErrorNotSupported)");
  // Whoever goes on without what was refused has passed.
  script("goes_on", "echo 'heddle error: f: no textures' >&2; echo PASS");
  EXPECT_EQ(only("a: goes_on\n  passes: PASS").verdict, Verdict::passed);
}

TEST_F(Survey, KnowsACrash) {
  script("crash", "kill -SEGV $$");
  const Judgement crash = only("crash: crash");
  EXPECT_EQ(crash.verdict, Verdict::crashed);
  EXPECT_THAT(crash.reason, testing::HasSubstr("signal 11"));
}

TEST_F(Survey, EndsWhatTakesTooLongWithAllItsChildren) {
  script("slow", "sleep 1000 & echo $! > child; wait");
  options_.patience = 0.1;
  const Judgement slow = only("slow: slow\n  seconds: 3");
  EXPECT_EQ(slow.verdict, Verdict::timed_out);
  EXPECT_THAT(slow.reason, testing::StartsWith("ended after "));
  const pid_t child = std::stoi(base::read_file(folder_.path() / "child"));
  // Nobody may be there who takes its exit code: then it stays as a zombie.
  const auto has_ended = [&] {
    const std::string status = base::read_file_if_there("/proc/" + std::to_string(child) + "/stat").value_or(") Z");
    return status.find(") Z") != std::string::npos;
  };
  EXPECT_TRUE(tests::wait_until(has_ended)) << "the program's child still runs";
}

TEST_F(Survey, WhatCannotBeStartedHasFailed) {
  options_.bare = true;
  const Judgement absent = only("absent: absent");
  EXPECT_EQ(absent.verdict, Verdict::failed);
  EXPECT_THAT(absent.reason, testing::HasSubstr("No such file"));
}

TEST_F(Survey, RunsEachWayInTurns) {
  script("count", "echo run >> runs; echo \"$0 $*\"");
  options_.bare = true;
  options_.device = "cuda:0";
  options_.slice = 64;
  options_.rounds = 3;
  const std::vector<Way> ways = ways_of(options_);
  ASSERT_EQ(ways.size(), 3u);
  EXPECT_EQ(ways[0].title, "bare");
  EXPECT_EQ(ways[2].title, "heddle run --slice 64");
  const std::vector<Row> rows = run("count: count --device\nleft: left out: textures");
  ASSERT_EQ(rows.size(), 2u);
  ASSERT_EQ(rows[0].judgements.size(), 3u);
  EXPECT_TRUE(rows[1].judgements.empty());
  EXPECT_EQ(base::read_file(folder_.path() / "runs").size(), 9 * 4u);
  const std::string program = (folder_.path() / "count").string();
  const std::string whole = "run --device cuda:0 -- " + program + " --device\n";
  const std::string sliced = "run --device cuda:0 --slice 64 -- " + program + " --device\n";
  EXPECT_EQ(base::read_file(folder_.path() / "heddle_got"), whole + sliced + whole + sliced + whole + sliced);
}

TEST_F(Survey, AWayThatHasFailedIsNotRunAgain) {
  script("bad", "echo run >> runs; exit 1");
  options_.rounds = 5;
  EXPECT_EQ(only("bad: bad").verdict, Verdict::failed);
  EXPECT_EQ(base::read_file(folder_.path() / "runs"), "run\n");
}

TEST_F(Survey, RunsSeveralAtATimeAndKeepsTheirOrder) {
  script(
      "meet",
      R"(touch "here.$1"; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -e "here.$2" ] && exit 0; sleep 0.5; done; exit 1)");
  options_.jobs = 2;
  const std::vector<Row> rows = run("a: meet 1 2\nb: meet 2 1\nc: left out: no reason");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].judgements.at(0).verdict, Verdict::passed) << "each waits for the other to run";
  EXPECT_EQ(rows[1].program->name, "b");
  EXPECT_EQ(rows[1].judgements.at(0).verdict, Verdict::passed);
}

TEST_F(Survey, StartsNoMoreWhenItsTimeIsOver) {
  script("slow", "sleep 0.3; echo run >> runs");
  options_.seconds = 0.1;
  const std::vector<Row> rows = run("a: slow\nb: slow\nc: slow");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].program->name, "a");
  EXPECT_EQ(rows[0].judgements.at(0).verdict, Verdict::passed) << "what has begun runs to its end";
  EXPECT_EQ(base::read_file(folder_.path() / "runs"), "run\n");
}

TEST_F(Survey, OutputWithoutEndIsKeptInPart) {
  script("loud", "yes | head -c 9000000; echo PASS");
  EXPECT_EQ(only("loud: loud\n  passes: ^PASS$").verdict, Verdict::passed);
}

}  // namespace
}  // namespace heddle::bench
