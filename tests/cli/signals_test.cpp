// Signals to commands that work: the program ends by the signal and at once, the processes that it has started end too,
// and files are as they were.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "cli/ending_signals.hpp"
#include "cli/heddle_command.hpp"
#include "support/wait_until.hpp"

namespace heddle::tests {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double most_seconds = 5;
#else
constexpr double most_seconds = 1;  // some ms, as a rule, and 40 on a machine with twice as much work as it has cores
#endif

// Runs for ever, or ends.
constexpr const char* source = R"(extern "C" __global__ void spins(volatile int* p) {
  for (int i = 1; i != 0; i = (i + 2) & 255) p[0] = i;
}
extern "C" __global__ void ends(int* p) { p[0] = 1; }
)";

class Signals : public HeddleCommand {
 protected:
  void SetUp() override {
    write("k.cu", source);
    fs::create_directory(at("tmp"));
    ASSERT_EQ(here("compile k.cu -o k.ptx").code, 0);
    ASSERT_EQ(
        here("launch k.ptx --entry ends --arg out:x.npy:i32:4 --device sim:tesla-g80,report=r.json,trace=t.json").code,
        0);
    write("j.toml",
          "[[job]]\nfile = \"k.ptx\"\nkernel = \"ends\"\nargs = [\"out:x.npy:i32:4\"]\n"
          "[[job]]\nfile = \"k.ptx\"\nkernel = \"spins\"\nargs = [\"zeros:i32:4\"]\n");
    write("s.toml",
          "results = \"r.db\"\nmachines = [\"tesla-g80\"]\n"
          "[[kernels]]\nfile = \"k.ptx\"\narguments = [\"--entry\", \"spins\", \"--arg\", \"zeros:i32:4\"]\n");
  }
  fs::path at(const std::string& name) const { return folder_.path() / name; }
  std::string variables() const {
    return "HEDDLE_CACHE_DIR='" + at("cache").string() + "' TMPDIR='" + at("tmp").string() + "'";
  }
  Ran here(const std::string& arguments) const { return heddle(arguments, "&1", variables() + " timeout 100"); }
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      if (entry.is_regular_file() && entry.path().filename() != "said" && entry.path().extension() != ".db")
        all[entry.path().filename().string()] = base::read_file(entry.path());
    return all;
  }
  // In a group of its own; what it prints is in the file `said`.
  pid_t start(const std::string& arguments) const {
    const std::string command = "cd '" + folder_.path().string() + "' && exec env " + variables() + " '" +
                                heddle_program(HEDDLE_PROGRAM).string() + "' " + arguments + " >said 2>&1";
    const pid_t child = ::fork();
    if (child != 0) return child;
    accept_ending_signals();
    ::setpgid(0, 0);
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  // Whether it has used so many ticks of the processor (hundredths of a second): it has begun, and works.
  static bool works(pid_t process) {
    constexpr int ticks = 15, user_time = 14, name = 2;
    const auto stat = base::read_file_if_there("/proc/" + std::to_string(process) + "/stat");
    if (!stat || stat->rfind(')') == stat->npos) return false;
    std::istringstream rest(stat->substr(stat->rfind(')') + 1));
    std::string field;
    for (int i = name; i < user_time; ++i) rest >> field;
    return std::atoi(field.c_str()) >= ticks;
  }
  // A launch that a sweep has started.
  bool has_log() const {
    std::error_code gone;
    for (fs::recursive_directory_iterator file(at("tmp"), gone), end; !gone && file != end; file.increment(gone))
      if (file->path().filename() == "log") return true;
    return false;
  }
  // A process of its group, other than itself, that works.
  static bool child_works(pid_t group) {
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const pid_t process = std::atoi(entry.path().filename().c_str());
      if (process > 0 && process != group && ::getpgid(process) == group && works(process)) return true;
    }
    return false;
  }
  void end_with(pid_t child, int signal, const std::string& command) const {
    const auto begin = std::chrono::steady_clock::now();
    ::kill(child, signal);
    int status = -1;
    ::waitpid(child, &status, 0);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << command << ": " << status;
    EXPECT_LT(seconds.count(), most_seconds) << command;
    EXPECT_TRUE(wait_until([&] { return ::kill(-child, 0) != 0; })) << command << ": a process that it started runs";
    ::kill(-child, SIGKILL);
    EXPECT_TRUE(fs::is_empty(at("tmp"))) << command;
  }
};

TEST_F(Signals, LeaveFilesAsTheyWere) {
  const std::string spins = " k.ptx --entry spins --arg zeros:i32:4";
  const std::string commands[] = {"launch" + spins + " --device cpu",
                                  "launch k.ptx --entry spins --device interp --arg out:x.npy:i32:4",
                                  "launch" + spins + " --device sim:tesla-g80,report=r.json,trace=t.json",
                                  "batch j.toml --device cpu",
                                  "batch j.toml --device sim:tesla-g80 --policy base",
                                  "profile" + spins + " --device sim:tesla-g80",
                                  "run ./script"};
  write("script", "#!/bin/sh\nwhile :; do :; done\n");
  fs::permissions(at("script"), fs::perms::owner_all);
  const auto before = files();
  for (const std::string& command : commands)
    for (const int signal : ending_signals) {
      const pid_t child = start(command);
      EXPECT_TRUE(wait_until([&] { return works(child); }))
          << command << ": " << base::read_file_if_there(at("said")).value_or("nothing");
      end_with(child, signal, command);
      EXPECT_EQ(files(), before) << command;
    }
}

// At once, and when the launch works.
TEST_F(Signals, EndTheLaunchesOfASweep) {
  const auto before = files();
  for (const bool late : {false, true})
    for (const int signal : ending_signals) {
      const pid_t child = start("sim sweep s.toml");
      EXPECT_TRUE(wait_until([&] { return late ? child_works(child) : has_log(); }));
      end_with(child, signal, "sim sweep");
      EXPECT_EQ(files(), before);
    }
}

// It waits for a reader of the page.
TEST_F(Signals, EndComparisons) {
  ASSERT_EQ(::mkfifo(at("page").c_str(), 0600), 0);
  const auto before = files();
  for (const int signal : ending_signals) {
    end_with(start("sim compare r.json r.json --html page"), signal, "sim compare");
    EXPECT_EQ(files(), before);
  }
}

// A report of some launches is no report of all.
TEST_F(Signals, GiveOldReportsTheirNames) {
  const auto before = files();
  for (const int signal : ending_signals) {
    const std::string command =
        "launch k.ptx --entry ends --arg zeros:i32:4 --repeat 1000000 --device "
        "sim:tesla-g80,report=r.json,trace=t.json";
    const pid_t child = start(command);
    EXPECT_TRUE(wait_until([&] { return fs::exists(at("r.json.heddle-old")) && fs::exists(at("t.json.heddle-old")); }));
    end_with(child, signal, command);
    EXPECT_EQ(files(), before);
  }
}

// The signal comes while the result is written beside its place. If it comes too late, the command has done its work.
TEST_F(Signals, RemoveWhatIsHalfWritten) {
  const std::string command = "launch k.ptx --entry ends --device cpu --arg out:large.npy:i32:50000000";
  const auto is_written = [&] {
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      if (entry.path().filename().string().starts_with("large.npy.")) return true;
    return false;
  };
  const auto before = files();
  for (int attempt = 0; attempt < 10; ++attempt) {
    const pid_t child = start(command);
    (void)wait_until([&] { return is_written() || fs::exists(at("large.npy")); });
    ::kill(child, SIGTERM);
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_FALSE(is_written());
    fs::remove(at("large.npy"));
    EXPECT_EQ(files(), before);
    if (WIFSIGNALED(status)) return;
  }
}

// Nobody reads what the command prints: it says nothing and is ended by the signal. What ends it late would see the
// write fail.
TEST_F(Signals, AClosedPipeEndsTheCommandAtOnce) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    const pid_t child = ::fork();
    if (child == 0) {
      accept_ending_signals();
      int ends[2];
      if (::pipe(ends) != 0 || ::dup2(ends[1], STDOUT_FILENO) < 0) ::_exit(126);
      ::close(ends[0]);
      ::close(ends[1]);
      const std::string program = heddle_program(HEDDLE_PROGRAM).string();
      ::execl("/bin/sh", "sh", "-c", "exec \"$0\" help --man 2>\"$1\"", program.c_str(), at("said").c_str(), nullptr);
      ::_exit(127);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE) << status;
    EXPECT_EQ(read("said"), "");
  }
}

}  // namespace
}  // namespace heddle::tests
