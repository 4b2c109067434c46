// Time comes from base::Clock, so that tests can move it; and tests wait for what they want to see, never for a while.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "layering/source_tree.hpp"

namespace heddle::tests {
namespace {

const std::regex machine_clock(R"(\b(steady_clock|system_clock|high_resolution_clock)\b)");
// Not members of that name, nor PTX and CUDA's own.
const std::regex sleep(R"(\bsleep_(for|until)\s*\(|(^|[^\w.>])(u|nano)?sleep\s*\()");

bool has(const std::string& line, const std::regex& what) {
  return std::regex_search(line.substr(0, line.find("//")), what);
}

TEST(Time, OnlyBaseReadsTheMachinesClock) {
  for (const SourceText& source : sources("src", {".hpp", ".cpp", ".inc"})) {
    if (source.path.starts_with("src/base/")) continue;
    for (const std::string& line : source.lines)
      EXPECT_FALSE(has(line, machine_clock)) << source.path << " wants a base::Clock in the place of: " << line;
  }
}

TEST(Time, TestsDoNotSleep) {
  for (const SourceText& source : sources("tests", {".hpp", ".cpp", ".h", ".c", ".cu"})) {
    if (source.path == "tests/layering/time_test.cpp") continue;
    for (const std::string& line : source.lines)
      EXPECT_FALSE(has(line, sleep)) << source.path
                                     << " wants a wait_until() (tests/support) in the place of: " << line;
  }
}

TEST(Time, TheRulesCatchWhatTheyShould) {
  for (const char* line : {"std::this_thread::sleep_for(5ms);", "  sleep_until (end);", "::usleep(10);", "sleep(1);",
                           "  if (x) ::nanosleep(&pause, nullptr);"})
    EXPECT_TRUE(has(line, sleep)) << line;
  for (const char* line : {"runtime->nanosleep(warp, 1, 0);", "__nanosleep(100);", "nanosleep.u32 100;",
                           "void sleep_for_ever(WarpContext*);", "a.sleep(1);", "wait();  // no sleep(1)"})
    EXPECT_FALSE(has(line, sleep)) << line;
  EXPECT_TRUE(has("auto now = std::chrono::steady_clock::now();", machine_clock));
  EXPECT_FALSE(has("using Seconds = std::chrono::duration<double>;", machine_clock));
}

}  // namespace
}  // namespace heddle::tests
