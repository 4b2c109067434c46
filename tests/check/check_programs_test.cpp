// Small programs with one mistake each, which --check finds at the lines that the programs mark, and the same programs
// without it, in which it finds nothing. The first line of a program says how it is run:
//   // launch: OPTIONS     heddle launch FILE OPTIONS
//   // run: OPTIONS        heddle run OPTIONS FILE
// and of one with a mistake the second, what the report says: // expect: TEXT. Lines that end in "// here" are the
// place of the mistake, and those in "// before" the other place; one of each is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/temporary_folder.hpp"
#include "programs/command.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using tests::quoted;
using tests::Ran;

struct Program {
  fs::path file;
  std::string command, expected;
  std::vector<int> here, before;
};

// The rest of a line that begins so; empty for another one.
std::string after(const std::string& line, const std::string& start) {
  return line.starts_with(start) ? line.substr(start.size()) : std::string();
}

Program read(const fs::path& file) {
  Program program;
  program.file = file;
  std::ifstream in(file);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (const std::string options = after(line, "// launch: "); !options.empty())
      program.command = " launch --device cpu " + quoted(file) + " " + options;
    if (const std::string options = after(line, "// run: "); !options.empty())
      program.command = " run --device cpu " + options + " " + quoted(file);
    if (const std::string text = after(line, "// expect: "); !text.empty()) program.expected = text;
    const std::size_t mark = line.rfind("  // ");
    if (mark == line.npos) continue;
    const std::string places = line.substr(mark);
    if (places.find("here") != places.npos) program.here.push_back(number);
    if (places.find("before") != places.npos) program.before.push_back(number);
  }
  return program;
}

std::vector<Program> programs(const char* folder) {
  std::vector<Program> all;
  for (const auto& entry : fs::directory_iterator(fs::path(HEDDLE_TEST_DATA) / "check" / folder))
    if (entry.path().extension() == ".cu") all.push_back(read(entry.path()));
  std::sort(all.begin(), all.end(), [](const Program& a, const Program& b) { return a.file < b.file; });
  return all;
}

class CheckedPrograms : public testing::Test {
 protected:
  Ran run(const Program& program) const {
    return tests::run_command("cd " + quoted(folder_.path()) + " && " + HEDDLE_PROGRAM + program.command);
  }
  // One of the lines is named.
  static bool names(const Ran& ran, const Program& program, const std::vector<int>& lines) {
    return lines.empty() || std::any_of(lines.begin(), lines.end(), [&](int line) {
             return ran.output.find(program.file.filename().string() + ":" + std::to_string(line)) != ran.output.npos;
           });
  }

  CheckedPrograms() { folder_.create("checked_programs"); }

  base::TemporaryFolder folder_;
};

TEST_F(CheckedPrograms, EachMistakeIsFoundAtItsLines) {
  const std::vector<Program> all = programs("faulty");
  EXPECT_GE(all.size(), 60u);
  for (const Program& program : all) {
    const Ran ran = run(program);
    EXPECT_EQ(ran.code, 99) << program.file << "\n" << ran.output;
    EXPECT_THAT(ran.output, testing::HasSubstr(program.expected)) << program.file;
    EXPECT_TRUE(names(ran, program, program.here)) << program.file << "\n" << ran.output;
    EXPECT_TRUE(names(ran, program, program.before)) << program.file << "\n" << ran.output;
  }
}

TEST_F(CheckedPrograms, WhatCannotBeFreedAfterAFaultIsNoLeak) {
  const Ran ran = run(read(fs::path(HEDDLE_TEST_DATA) / "check" / "faulty" / "memory_freed_after_fault.cu"));
  EXPECT_EQ(ran.code, 99) << ran.output;
  EXPECT_THAT(ran.output, testing::Not(testing::HasSubstr("leak:")));
}

// The first lane ends the launch. That the others have not come to the barrier then is no mistake of theirs.
TEST_F(CheckedPrograms, AFaultAtABarrierIsTheOnlyMistake) {
  std::ofstream(folder_.path() / "fault.cu") << R"(__global__ void wait(int number, int threads, int* out) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
  out[threadIdx.x] = number;
}
)";
  for (const auto& [numbers, text] :
       {std::pair{"--arg i32:17 --arg i32:64", "17"}, {"--arg i32:1 --arg i32:33", "33"}}) {
    const Ran ran =
        tests::run_command("cd " + quoted(folder_.path()) + " && " + HEDDLE_PROGRAM +
                           " launch --device cpu fault.cu --check=sync --block 64 " + numbers + " --arg zeros:i32:64");
    EXPECT_NE(ran.code, 0);
    EXPECT_THAT(ran.output, testing::HasSubstr(text));
    EXPECT_THAT(ran.output, testing::Not(testing::HasSubstr("other code"))) << numbers;
  }
}

TEST_F(CheckedPrograms, NothingIsFoundWhereNothingIsWrong) {
  const std::vector<Program> all = programs("right");
  EXPECT_GE(all.size(), 60u);
  for (const Program& program : all) {
    const Ran ran = run(program);
    EXPECT_EQ(ran.code, 0) << program.file << "\n" << ran.output;
  }
}

}  // namespace
}  // namespace heddle
