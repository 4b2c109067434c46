// What `heddle cc` leaves in place of its output when it is killed while a compiler writes: what was there before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "cli/ending_signals.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"
#include "support/wait_until.hpp"

namespace heddle::tests {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class KilledCc : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(at("tmp"));
    base::write_file_atomic(at("x.c"), std::string_view("int x;\n"));
    base::write_file_atomic(at("x.o"), std::string_view("an object"));
    // A compiler that stops in the middle of its output while the file `hold` is there. -MF gets what follows -MQ.
    base::write_file_atomic(at("slow.sh"), std::string_view(R"(#!/bin/sh
out= list= target=
while [ $# -gt 0 ]; do
  case "$1" in -o) out=$2;; -MF) list=$2;; -MQ) target=$2;; esac
  shift
done
[ -z "$list" ] || printf '%s:' "$target" > "$list"
printf part > "$out"
touch waits
while [ -f hold ]; do sleep 0.05; done
[ -z "$list" ] || printf ' x.c' >> "$list"
printf ', whole' >> "$out"
[ ! -f fail ]
)"));
    fs::permissions(at("slow.sh"), fs::perms::owner_all);
  }
  void TearDown() override { fs::remove(at("hold")); }
  fs::path at(const std::string& name) const { return folder_.path() / name; }
  std::string content(const std::string& name) const { return base::read_file_if_there(at(name)).value_or("none"); }

  // Standard error becomes a pipe that nobody reads.
  static void close_reader_of_errors() {
    int ends[2];
    if (::pipe(ends) != 0 || ::dup2(ends[1], STDERR_FILENO) < 0) ::_exit(126);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  pid_t start(const Words& words, bool closes_errors = false) const {
    const std::string program = heddle_program(HEDDLE_PROGRAM).string();
    const pid_t child = ::fork();
    if (child != 0) return child;
    accept_ending_signals();
    if (closes_errors) close_reader_of_errors();
    if (::chdir(folder_.path().c_str()) != 0) ::_exit(127);
    ::setenv("TMPDIR", at("tmp").c_str(), 1);
    ::setenv("HEDDLE_CACHE_DIR", at("cache").c_str(), 1);
    std::vector<char*> arguments;
    Words all{program, "cc", "-ccbin", "./slow.sh"};
    all.insert(all.end(), words.begin(), words.end());
    for (std::string& word : all) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv(program.c_str(), arguments.data());
    ::_exit(127);
  }
  static int status_of(pid_t child) {
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
  }
  void end_with(int signal, const Words& words) const {
    base::write_file_atomic(at("hold"), std::string_view());
    fs::remove(at("waits"));
    const pid_t child = start(words);
    ASSERT_TRUE(wait_until([&] { return fs::exists(at("waits")); }));
    ::kill(child, signal);
    const int status = status_of(child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    fs::remove(at("hold"));
  }
  Words leftovers() const {
    Words found;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      if (entry.path().filename().string().starts_with("heddle-")) found.push_back(entry.path().filename());
    return found;
  }

  const TemporaryFolder folder_;
};

struct Step {
  Words words;
  std::string output;
};
const std::vector<Step>& steps() {
  static const std::vector<Step> all = {{{"x.o", "-o", "prog"}, "prog"},
                                        {{"x.o"}, "a.out"},
                                        {{"-c", "x.c"}, "x.o"},
                                        {{"-c", "x.c", "-o", "y.o"}, "y.o"},
                                        {{"-E", "x.c", "-o", "x.i"}, "x.i"},
                                        {{"-dlink", "x.o", "-o", "linked.o"}, "linked.o"},
                                        {{"-c", "x.c", "-o", "y.o", "-MD"}, "y.d"},
                                        {{"-c", "x.c", "-o", "y.o", "-MD", "-MF", "list"}, "list"}};
  return all;
}

TEST_F(KilledCc, OutputsAreAsTheyWere) {
  for (const Step& step : steps())
    for (const int signal : {SIGKILL, SIGTERM, SIGINT, SIGQUIT, SIGPIPE})
      for (const std::string before : {"none", "the old one"}) {
        if (before == "none" && step.output != "x.o") fs::remove(at(step.output));
        if (before != "none") base::write_file_atomic(at(step.output), std::string_view(before));
        const std::string expected = content(step.output);
        end_with(signal, step.words);
        EXPECT_EQ(content(step.output), expected) << testing::PrintToString(step.words) << " " << signal;
        if (signal != SIGKILL) {
          EXPECT_EQ(leftovers(), Words()) << signal;
          EXPECT_TRUE(fs::is_empty(at("tmp"))) << signal;
        }
      }
}

// As `heddle cc -v x.c 2>&1 | head -1` may be ended.
TEST_F(KilledCc, AClosedPipeLeavesNothing) {
  const int status = status_of(start({"-v", "-c", "x.c", "-o", "y.o"}, true));
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE) << status;
  EXPECT_EQ(leftovers(), Words());
  EXPECT_TRUE(fs::is_empty(at("tmp")));
  EXPECT_EQ(content("y.o"), "none");
}

TEST_F(KilledCc, TheNextRunMakesTheOutputAndRemovesWhatIsLeft) {
  end_with(SIGKILL, {"-c", "x.c", "-o", "y.o", "-MD"});
  EXPECT_NE(leftovers(), Words());
  EXPECT_EQ(status_of(start({"-c", "x.c", "-o", "y.o", "-MD"})), 0);
  EXPECT_EQ(content("y.o"), "part, whole");
  EXPECT_EQ(content("y.d"), "y.o: x.c") << "the list names what a build system knows";
  EXPECT_EQ(leftovers(), Words());
}

TEST_F(KilledCc, AFailureLeavesTheOldOutput) {
  base::write_file_atomic(at("y.o"), std::string_view("the old one"));
  base::write_file_atomic(at("fail"), std::string_view());
  EXPECT_NE(status_of(start({"-c", "x.c", "-o", "y.o"})), 0);
  EXPECT_EQ(content("y.o"), "the old one");
  EXPECT_EQ(leftovers(), Words());
}

TEST_F(KilledCc, LinksStayLinksAndDevicesDevices) {
  fs::create_directory(at("deep"));
  fs::create_symlink("deep/real.o", at("link.o"));
  EXPECT_EQ(status_of(start({"-c", "x.c", "-o", "link.o"})), 0);
  EXPECT_TRUE(fs::is_symlink(at("link.o")));
  EXPECT_EQ(content("deep/real.o"), "part, whole");
  EXPECT_EQ(status_of(start({"-c", "x.c", "-o", "/dev/null"})), 0);
  struct stat status{};
  ASSERT_EQ(::stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

}  // namespace
}  // namespace heddle::tests
