#include "base/child_process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/spawn_attributes.hpp"
#include "base/thread.hpp"

extern char** environ;

namespace heddle::base {
namespace {

// The shell, with a command of its own: nothing else need be installed.
pid_t start(const char* command, const posix_spawn_file_actions_t* actions = nullptr) {
  const SpawnAttributes attributes;
  const char* words[] = {"sh", "-c", command, nullptr};
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, "/bin/sh", actions, attributes.get(), const_cast<char**>(words), environ);
  return error == 0 ? pid : -1;
}

// Waits for input that never comes, and for the end of this process at the longest.
pid_t start_waiting() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return -1;  // stay open
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  const pid_t pid = start("read line", &actions);
  ::posix_spawn_file_actions_destroy(&actions);
  return pid;
}

TEST(ChildProcess, GivesTheExitCode) {
  ChildProcess child([] { return start("exit 3"); });
  ASSERT_TRUE(child.started());
  EXPECT_EQ(child.wait(), 3);
}

TEST(ChildProcess, WithoutAChildThereIsNothingToWaitFor) {
  ChildProcess child([] { return pid_t{-1}; });
  EXPECT_FALSE(child.started());
  EXPECT_EQ(child.wait(), -1);
}

// Heddle's own threads block all signals, and a child has the mask of the thread that starts it.
TEST(ChildProcess, EndsThoughItsThreadBlocksSignals) {
  pid_t pid = -1;
  start_thread("starts", [&] { ChildProcess child([&] { return pid = start_waiting(); }); }).join();
  EXPECT_GT(pid, 0);
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST(ChildProcessDeathTest, EndOfAllReachesLaterChildrenToo) {
  const auto both_end = [] {
    pid_t pids[2];
    ChildProcess first([&] { return pids[0] = start_waiting(); });
    ChildProcess::end_all();
    ChildProcess second([&] { return pids[1] = start_waiting(); });
    for (const pid_t pid : pids) {
      int status = 0;
      if (::waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status) || WTERMSIG(status) != SIGTERM) ::_exit(1);
    }
    ::_exit(0);
  };
  EXPECT_EXIT(both_end(), testing::ExitedWithCode(0), "");
}

// A sweep would write down as failed what its own end has ended.
TEST(ChildProcessDeathTest, WaitDoesNotReturnAfterTheEndOfAll) {
  const auto waits = [] {
    ChildProcess child([] { return start_waiting(); });
    ChildProcess::end_all();
    ::alarm(1);
    child.wait();
    ::_exit(0);
  };
  EXPECT_EXIT(waits(), testing::KilledBySignal(SIGALRM), "");
}

}  // namespace
}  // namespace heddle::base
