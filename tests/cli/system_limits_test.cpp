// Every command where the system gives few descriptors, little stack, few threads or no process: it works, or ends with
// a sentence that says what is lacking. And where the clock is set back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "cli/heddle_command.hpp"
#include "cli/small_kernel.hpp"
#include "cli/small_program.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

class SystemLimits : public HeddleCommand {
 protected:
  void SetUp() override {
    if (sanitized) GTEST_SKIP() << "a sanitizer needs descriptors, a stack and threads of its own";
    write("k.ptx", kernel);
    write("a.cu", program);
    write("s.toml",
          "machines = [\"tesla-g80\"]\n[options]\nscheduler = [\"lrr\", \"gto\"]\n[[kernels]]\nfile = \"k.ptx\"\n"
          "arguments = [\"--block\", \"4\", \"--arg\", \"zeros:u32:4\"]\n");
    write("j.toml", "[[job]]\nfile = \"k.ptx\"\nblock = 4\nargs = [\"zeros:u32:4\"]\n");
    ASSERT_EQ(here("cc a.cu -o prog").code, 0);
    ASSERT_EQ(here("run --device cpu --trace t.json ./prog").code, 0);
    ASSERT_EQ(here(launch + "sim:tesla-g80,report=a.json").code, 0);
  }
  Ran here(const std::string& arguments, const std::string& before = "") const {
    const std::string folder = folder_.path().string();
    fs::remove(folder_.path() / "s.db");
    // The limit is the program's: timeout, which is there before it, has more.
    return heddle(arguments, "&1",
                  "HEDDLE_CACHE_DIR='" + folder + "/cache' HEDDLE_DAEMON='" + folder +
                      "/daemon/socket' timeout -k 5 60 sh -c '" + before + " exec \"$0\" \"$@\"'");
  }
  Ran lacking(const std::string& arguments, const std::string& variables) const {
    return here(arguments, variables + " LD_PRELOAD=" HEDDLE_LACKING_SYSTEM_LIBRARY);
  }

  const std::string launch = "launch k.ptx --block 4 --arg zeros:u32:4 --device ";
  const std::vector<std::string> running{launch + "cpu",     launch + "interp",        launch + "sim:tesla-g80",
                                         "devices",          "batch j.toml",           "batch j.toml --device cpu",
                                         "sim sweep s.toml", "run --device cpu ./prog"};
  const std::vector<std::string> reading{"inspect k.ptx",     "timeline t.json -o -",
                                         "graph t.json -o -", "metrics t.json",
                                         "sim report a.json", "sim compare a.json a.json",
                                         "knowledge list",    "profile k.ptx --block 4 --arg zeros:u32:4"};
  const std::vector<std::string> compiling{"compile a.cu -o o.ptx", "inspect a.cu", "cc -c a.cu -o a.o",
                                           "run --device cpu a.cu"};
};

// They are not said to be missing: the CPU device's library, the daemon, the folder of a result.
TEST_F(SystemLimits, DescriptorsThatAreLackingAreNamed) {
  for (const auto* commands : {&running, &reading, &compiling})
    for (const std::string& command : *commands)
      for (const int most : {5, 7, 9}) {
        fs::remove_all(folder_.path() / "cache/compile");
        const std::string number = std::to_string(most);
        const Ran ran = here(command, "ulimit -n " + number + ";");
        if (ran.code == 0) continue;
        EXPECT_EQ(ran.code, 1) << command << " with " << most << ": " << ran.output;
        EXPECT_THAT(ran.output, AllOf(AnyOf(HasSubstr("Too many open files"), HasSubstr("no file descriptors left")),
                                      HasSubstr("the limit of this process (ulimit -n) is " + number)))
            << command;
        EXPECT_THAT(ran.output, Not(AnyOf(HasSubstr("is not in the folder"), HasSubstr("No such file"))));
      }
  std::string answers;  // which of them lacks a descriptor depends on what the program has inherited
  for (const char* most : {"4", "5", "6"})
    answers += here("daemon status", "ulimit -n " + std::string(most) + ";").output;
  EXPECT_THAT(answers, HasSubstr("no socket: Too many open files"));
}

TEST_F(SystemLimits, TemporaryFoldersThatCannotBeOpenedAreRemoved) {
  fs::create_directory(folder_.path() / "tmp");
  for (const int most : {5, 6, 7, 8}) {
    here("sim sweep s.toml", "ulimit -n " + std::to_string(most) + "; TMPDIR=tmp");
    EXPECT_TRUE(fs::is_empty(folder_.path() / "tmp")) << most;
  }
}

// Where clang has a stack, everything works.
TEST_F(SystemLimits, ALittleStackIsEnoughOrNamed) {
  for (const int kib : {64, 128, 256, 512, 1024}) {
    fs::remove_all(folder_.path() / "cache");
    const std::string limit = "ulimit -s " + std::to_string(kib) + ";";
    for (const auto* commands : {&running, &reading})
      for (const std::string& command : *commands) {
        const Ran ran = here(command, limit);
        EXPECT_EQ(ran.code, 0) << command << " with " << kib << " KiB: " << ran.output;
      }
    for (const std::string& command : compiling) {
      const Ran ran = here(command, limit);
      if (ran.code == 0) continue;
      EXPECT_LT(kib, 256) << command << ": " << ran.output;
      EXPECT_EQ(ran.code, 3) << command << " with " << kib << " KiB: " << ran.output;
      EXPECT_THAT(ran.output, HasSubstr("the limit of this process's stack (ulimit -s) is " + std::to_string(kib)));
    }
  }
}

// Parsers recurse.
TEST_F(SystemLimits, ALittleStackIsEnoughForWhatIsNested) {
  const auto nested = [](std::size_t depth, char begin, const std::string& inner, char end) {
    return std::string(depth, begin) + inner + std::string(depth, end);
  };
  write("p.ptx", ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n.reg .u32 %r;\nmov.u32 %r, " +
                     nested(150, '(', "1", ')') + ";\nret;\n}\n");
  write("deep.ptx",
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n.reg .u32 %r;\nmov.u32 %r, " +
            nested(100'000, '(', "1", ')') + ";\nret;\n}\n");
  write("deep.toml", "machines = " + nested(1000, '[', "", ']') + "\n");
  write("deep.json", "{\"traceEvents\": " + nested(1'000'000, '[', "", ']') + "}");
  for (const int kib : {64, 8192}) {
    const std::string limit = "ulimit -s " + std::to_string(kib) + ";";
    EXPECT_EQ(here("launch p.ptx --device interp", limit).code, 0);
    for (const std::string command :
         {"inspect deep.ptx", "sim sweep deep.toml", "batch deep.toml", "metrics deep.json", "timeline deep.json -o -",
          "graph deep.json -o -", "sim report deep.json", "launch k.ptx --device sim:./deep.toml"}) {
      const Ran ran = here(command, limit);
      EXPECT_EQ(ran.code, 1) << command << " with " << kib << " KiB: " << ran.output;
    }
  }
}

TEST_F(SystemLimits, ThreadsThatAreLackingAreNamed) {
  std::vector<std::string> commands = running;
  commands.push_back("sim sweep s.toml --wait --jobs 3");
  for (const std::string& command : commands)
    for (int threads = 0; threads < 5; ++threads) {
      const Ran ran = lacking(command, "LACKING_THREADS=" + std::to_string(threads));
      if (ran.code == 0) continue;
      EXPECT_TRUE(ran.code == 1 || ran.code == 3) << ran.code << ": " << command << ": " << ran.output;
      EXPECT_THAT(ran.output, HasSubstr("the process can have no more threads")) << command;
    }
}

// The system reports a lack of memory for a thread's stack as one of threads. Memory that was short may be there again
// when Heddle asks: the sentence names both limits.
TEST_F(SystemLimits, ALackOfThreadsNamesTheLimitOfMemory) {
  const Ran ran = lacking("run --device cpu ./prog", "ulimit -v 80000000; LACKING_THREADS=1");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.output, AllOf(HasSubstr("no more threads"), HasSubstr("(ulimit -v) is 78125 MiB")));
}

// The program's next call opens the device again, and the timeline is this process's as before.
TEST_F(SystemLimits, ATimelineStaysThatOfItsProcess) {
  const Ran ran = lacking("run --device cpu --trace new.json ./prog", "LACKING_THREADS=1");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.output, AllOf(HasSubstr("no more threads"), Not(HasSubstr("of another process"))));
}

TEST_F(SystemLimits, ProcessesThatCannotBeStartedAreNamed) {
  for (const char* command : {"compile a.cu -o o.ptx", "cc -c a.cu -o a.o", "run --device cpu -- a.cu",
                              "sim sweep s.toml", "sim sweep s.toml --wait", "daemon start"}) {
    fs::remove_all(folder_.path() / "cache");
    const Ran ran = lacking(command, "LACKING_PROCESSES=1");
    EXPECT_EQ(ran.code, 1) << command << ": " << ran.output;
    EXPECT_THAT(ran.output, AllOf(HasSubstr("start"), HasSubstr("Resource temporarily unavailable"))) << command;
  }
}

// Compilations wait until the clock has moved, so that what is written meanwhile can be seen by its time.
TEST_F(SystemLimits, AClockThatIsSetBackStopsNothing) {
  for (const std::string& command : compiling) {
    fs::remove_all(folder_.path() / "cache");
    const Ran ran = lacking(command, "LACKING_SECONDS=7200");
    EXPECT_EQ(ran.code, 0) << command << ": " << ran.output;
  }
  for (const auto* commands : {&running, &reading})
    for (const std::string& command : *commands) {
      const Ran ran = lacking(command, "LACKING_SECONDS=7200");
      EXPECT_EQ(ran.code, 0) << command << ": " << ran.output;
    }
}

}  // namespace
}  // namespace heddle::tests
