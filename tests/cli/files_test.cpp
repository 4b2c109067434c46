// The files that the heddle program reads and writes: nothing is lost, and nothing hangs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/npy.hpp"
#include "cli/heddle_command.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

namespace fs = std::filesystem;

constexpr const char* kernel = R"(extern "C" __global__ void k(int* p) { p[threadIdx.x] = 1; })";
constexpr const char* trace = R"([
{"name": "k", "cat": "launch", "ph": "X", "ts": 1.0, "dur": 2.0, "pid": 1, "tid": 1, "args": {}}
])";

class CliFiles : public HeddleCommand {
 protected:
  CliFiles() {
    write("a.cu", kernel);
    write("t.json", trace);
    fs::create_symlink("a.cu", folder_.path() / "link.cu");
    fs::create_hard_link(folder_.path() / "a.cu", folder_.path() / "hard.cu");
  }
  void write(const std::string& name, std::string_view text) const {
    base::write_file_atomic(folder_.path() / name, text);
  }
  std::string read(const std::string& name) const { return base::read_file(folder_.path() / name); }
};

TEST_F(CliFiles, SourcesAreNotReplacedByTheirResults) {
  for (const char* command :
       {"compile a.cu -o a.cu", "compile a.cu -o ./a.cu", "compile a.cu -o link.cu", "compile link.cu -o a.cu",
        "compile a.cu -o hard.cu", "cc -c a.cu -o a.cu", "cc a.cu -o a.cu", "cc -c a.cu -o hard.cu",
        "cc -ptx a.cu -o link.cu", "cc -c a.cu -MD -MF a.cu", "cc -E a.cu -o a.cu", "cc -M a.cu -o a.cu",
        "launch a.cu --block 4 --arg out:a.cu:i32:4", "launch a.cu --block 4 --arg out:hard.cu:i32:4",
        "launch a.cu --block 4 --arg out:a.cu:i32:4 --out-dir ."}) {
    const Ran ran = heddle(command);
    EXPECT_NE(ran.code, 0) << command;
    EXPECT_THAT(ran.output, AllOf(HasSubstr("would replace"), HasSubstr("name another file"))) << command;
    EXPECT_EQ(read("a.cu"), kernel) << command;
  }
  EXPECT_TRUE(fs::is_symlink(folder_.path() / "link.cu"));
}

TEST_F(CliFiles, NamesThatTheCompilerChoosesAreCheckedToo) {
  write("a.o", kernel);
  write("b.d", kernel);
  write("options", "-c a.cu");
  EXPECT_THAT(heddle("cc -x cu -c b.d -MD").output, HasSubstr("-MD b.d: the output would replace"));
  EXPECT_THAT(heddle("cc @options -o options").output, HasSubstr("would replace"));
  EXPECT_EQ(read("b.d"), kernel);
  EXPECT_EQ(read("options"), "-c a.cu");
}

TEST_F(CliFiles, TracesAreNotReplacedByTheirPictures) {
  fs::create_symlink("t.json", folder_.path() / "t.svg");
  for (const char* command : {"timeline t.json -o t.json", "graph t.json -o t.json", "timeline t.json"}) {
    const Ran ran = heddle(command);
    EXPECT_EQ(ran.code, 2) << command;
    EXPECT_THAT(ran.output, HasSubstr("would replace")) << command;
    EXPECT_EQ(read("t.json"), trace) << command;
  }
}

TEST_F(CliFiles, ArraysAreNotReplacedByOthers) {
  base::write_npy(folder_.path() / "x.npy", {base::NpyType::i32, {4}, std::vector<std::byte>(16)});
  fs::copy(folder_.path() / "x.npy", folder_.path() / "x.out.npy");
  const std::string before = read("x.npy");
  write("b.cu", R"(extern "C" __global__ void k(int* p, int* q) { p[threadIdx.x] = q[threadIdx.x]; })");
  for (const char* arguments : {"--arg out:x.npy:f64:4 --arg in:x.npy", "--arg inout:x.npy --arg in:x.out.npy"}) {
    const Ran ran = heddle("launch b.cu --block 4 " + std::string(arguments));
    EXPECT_EQ(ran.code, 2) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("would replace")) << arguments;
  }
  EXPECT_EQ(read("x.npy"), before);
  EXPECT_EQ(read("x.out.npy"), before);
}

TEST_F(CliFiles, ProgramsAreNotReplacedByTheirTimelines) {
  write("script", "#!/bin/sh\necho ran\n");
  fs::permissions(folder_.path() / "script", fs::perms::owner_all);
  for (const char* command : {"run --trace script ./script", "run --trace a.cu a.cu", "run --trace hard.cu link.cu",
                              "run --trace script sh script"}) {
    const Ran ran = heddle(command);
    EXPECT_EQ(ran.code, 1) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("would replace")) << command;
  }
  EXPECT_EQ(read("script"), "#!/bin/sh\necho ran\n");
  EXPECT_EQ(read("a.cu"), kernel);
  EXPECT_EQ(heddle("run --trace t.json ./script").output, "ran\n");
  EXPECT_EQ(read("t.json"), "");
}

TEST_F(CliFiles, BadVariablesAreToldBeforeTheProgramStarts) {
  write("script", "#!/bin/sh\necho ran\n");
  fs::permissions(folder_.path() / "script", fs::perms::owner_all);
  for (const char* wrong :
       {"HEDDLE_RUN_CHECK=maybe", "HEDDLE_RUN_SLICE=0", "HEDDLE_LOG=loud", "HEDDLE_CPU_WORKERS=-1"}) {
    const Ran ran = heddle("run ./script", "&1", wrong);
    EXPECT_EQ(ran.code, 1) << wrong;
    EXPECT_THAT(ran.output,
                AllOf(HasSubstr("heddle: " + std::string(wrong) + ": expected "), testing::Not(HasSubstr("ran"))));
  }
}

// What cannot be started leaves the trace of before.
TEST_F(CliFiles, FailuresLeaveTheOldFile) {
  write("broken", "#!/nonexistent/interpreter\n");
  fs::permissions(folder_.path() / "broken", fs::perms::owner_all);
  EXPECT_NE(heddle("run --trace t.json ./broken").code, 0);
  EXPECT_EQ(read("t.json"), trace);
  EXPECT_NE(heddle("run --trace new.json ./broken").code, 0);
  EXPECT_FALSE(fs::exists(folder_.path() / "new.json"));
  write("old.ptx", "old");
  const Ran ran = heddle("compile a.cu -o old.ptx", "&1", "trap '' XFSZ; ulimit -f 0;");
  EXPECT_EQ(ran.code, 1) << ran.output;
  EXPECT_EQ(read("old.ptx"), "old");
  for (const auto& entry : fs::directory_iterator(folder_.path()))
    EXPECT_EQ(entry.path().filename().string().find("old.ptx."), std::string::npos) << entry.path();
}

}  // namespace
}  // namespace heddle::tests
