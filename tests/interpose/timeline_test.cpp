// The timeline of commands that NVIDIA's library runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/temporary_folder.hpp"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Ran {
  int code = -1;
  std::string output;
};

Ran run(const std::string& environment, const std::string& before = "") {
  const std::string command = before + "env " + environment + " " PROGRAM " 2>&1";
  Ran ran;
  FILE* const pipe = ::popen(command.c_str(), "r");
  std::array<char, 512> part{};
  while (std::fgets(part.data(), part.size(), pipe)) ran.output += part.data();
  const int status = ::pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

TEST(InterposedTimeline, HasWhatRanAndNotWhatWasCaptured) {
  heddle::base::TemporaryFolder folder;
  folder.create("timeline-test");
  const std::string file = (folder.path() / "t.json").string();
  const Ran ran = run("LD_LIBRARY_PATH=" LIBRARIES " HEDDLE_RUN_TRACE=" + file);
  ASSERT_EQ(ran.code, 0) << ran.output;
  const auto events = nlohmann::json::parse(heddle::base::read_file(file));
  std::vector<std::string> names;
  std::vector<double> took;
  for (const auto& event : events) {
    if (event["ph"] != "X") continue;
    names.push_back(event["name"]);
    took.push_back(event["dur"]);
    if (names.size() == 1) {
      EXPECT_EQ(event["args"]["kernel"], "_Z5saxpyifPKfPf");
      EXPECT_EQ(event["args"]["grid"], "4 x 2 x 1");
      EXPECT_EQ(event["args"]["block"], "64 x 1 x 1");
      EXPECT_EQ(event["args"]["shared"], 16);
    }
  }
  EXPECT_THAT(names, ElementsAre("saxpy", "kernel_of_a_library", "copy to device", "copy to host", "fill", "CUDA graph",
                                 "saxpy"));
  for (const double microseconds : took) EXPECT_DOUBLE_EQ(microseconds, 500);
}

TEST(InterposedTimeline, IsWrittenOnlyWhereItIsWanted) {
  EXPECT_EQ(run("LD_LIBRARY_PATH=" LIBRARIES).code, 0);
  const Ran ran = run("LD_LIBRARY_PATH=" LIBRARIES " HEDDLE_RUN_TRACE=/no/folder/t.json");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("there will be no timeline"));
}

// As on a full disk: files may not grow beyond a block.
TEST(InterposedTimeline, OneThatCannotBeWrittenIsSaidAndLeavesTheOldOne) {
  heddle::base::TemporaryFolder folder;
  folder.create("timeline-test");
  const std::filesystem::path file = folder.path() / "t.json";
  const std::string old =
      "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"of before\"}}\n]\n";
  heddle::base::write_file_atomic(file, std::string_view(old));
  const Ran ran = run("LD_LIBRARY_PATH=" LIBRARIES " HEDDLE_RUN_TRACE=" + file.string(), "ulimit -f 1; ");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("t.json cannot be written: File too large"));
  EXPECT_EQ(heddle::base::read_file(file), old);
}

TEST(InterposedTimeline, WithoutADriverThereIsNoDevice) {
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has one";
  const Ran ran = run("LD_LIBRARY_PATH=" INTERPOSER);
  EXPECT_THAT(ran.output, HasSubstr("NVIDIA's libcuda.so.1 was not found"));
  EXPECT_EQ(ran.code, 1);
}

}  // namespace
