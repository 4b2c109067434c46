// What commands show on a terminal while they work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "cli/heddle_command.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

class Terminal : public HeddleCommand {
 protected:
  void SetUp() override {
    for (const char* place : {"/usr/bin/clang-19", "/usr/lib/llvm-19/bin/clang", "/usr/local/bin/clang-19"})
      if (clang_.empty() && fs::exists(place)) clang_ = place;
    if (const char* const own = std::getenv("HEDDLE_CLANG")) clang_ = own;
    if (clang_.empty()) GTEST_SKIP() << "there is no clang 19 at a usual place";
    // One that compiles when the file `go` is there.
    write("clang", "#!/bin/sh\nwhile [ ! -e '" + in("go") + "' ]; do sleep 0.05; done\nexec '" + clang_ + "' \"$@\"\n");
    fs::permissions(folder_.path() / "clang", fs::perms::owner_all);
    write("a.cu", "extern \"C\" __global__ void k(int* p) { p[threadIdx.x] = 1; }\nint main() {}\n");
  }
  std::string in(const char* name) const { return (folder_.path() / name).string(); }

  // Runs heddle on a terminal; `go` is made when it has shown `awaited`.
  Ran on_terminal(std::vector<std::string> words, const std::string& awaited) const {
    words.insert(words.begin(), heddle_program(HEDDLE_PROGRAM).string());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) {
      ::setenv("HEDDLE_CACHE_DIR", in("cache").c_str(), 1);
      ::setenv("HEDDLE_CLANG", in("clang").c_str(), 1);
      ::alarm(100);
      if (::chdir(folder_.path().c_str()) == 0) ::execv(arguments[0], arguments.data());
      ::_exit(1);
    }
    Ran ran;
    char buffer[4096];
    // The read fails when the last process has closed its side.
    for (ssize_t got = 0; (got = ::read(terminal, buffer, sizeof buffer)) > 0;) {
      ran.output.append(buffer, static_cast<std::size_t>(got));
      if (ran.output.find(awaited) != std::string::npos && !fs::exists(in("go"))) write("go", "");
    }
    ::close(terminal);
    int status = 0;
    ::waitpid(child, &status, 0);
    ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ran;
  }
  std::string clang_;
};

constexpr const char* erased = "\r\x1b[K";

TEST_F(Terminal, SaysThatItCompilesAndForHowLong) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"compile", "a.cu", "-o", "a.ptx"}, {"run", "a.cu"}}) {
    fs::remove(in("go"));
    fs::remove_all(in("cache"));
    const Ran ran = on_terminal(words, "compiling a.cu ... 1 s");
    EXPECT_EQ(ran.code, 0) << ran.output;
    EXPECT_THAT(ran.output, AllOf(HasSubstr("\rcompiling a.cu ... 1 s"), HasSubstr(erased))) << words.front();
    // Nothing of it stays on the line.
    EXPECT_GT(ran.output.rfind(erased), ran.output.rfind("compiling")) << words.front();
  }
}

// Into a file nothing of it goes.
TEST_F(Terminal, ABatchSaysHowMuchIsDone) {
  write("c.ptx", R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry counts(.param .u64 a)
{
  .reg .u64 %p; .reg .u32 %t;
  ld.param.u64 %p, [a];
again:
  atom.global.add.u32 %t, [%p], 1;
  bra again;
}
)");
  write("j.toml", "[[job]]\nfile = \"c.ptx\"\nargs = [\"zeros:u32:1\"]\ncount = 1000000\n");
  const Ran ran =
      on_terminal({"batch", "j.toml", "--device", "cpu", "--policy", "serial", "--timeout", "2.5"}, "never");
  EXPECT_EQ(ran.code, 99) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("running 1000000 jobs, 0.0 % ... 1 s"));
}

TEST_F(Terminal, OthersGetNoProgress) {
  const Ran ran = heddle("compile a.cu -o a.ptx", "&1",
                         "true; { sleep 1.5; touch go; } & HEDDLE_CACHE_DIR='" + in("cache") + "' HEDDLE_CLANG='" +
                             in("clang") + "' timeout 100");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, AllOf(Not(HasSubstr("compiling")), Not(HasSubstr("\r"))));
}

}  // namespace
}  // namespace heddle::tests
