// Threads of host functions: as many as there are functions that wait, and fewer where the process can have no more.
#include "device/cpu/host_calls.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "heddle/error.hpp"

namespace heddle::device::cpu {
namespace {

using namespace std::chrono_literals;

TEST(HostCalls, FunctionsMayWaitForEachOther) {
  const base::SteadyClock clock;
  std::latch met(20);
  HostCalls calls(clock, false, 10us);
  for (int i = 0; i < 20; ++i) calls.run([&] { met.arrive_and_wait(); });
  met.wait();
}

TEST(HostCalls, TheEndWaitsForAll) {
  const base::SteadyClock clock;
  std::atomic<int> ran{0};
  {
    HostCalls calls(clock, true, 10us);
    for (int i = 0; i < 1000; ++i) calls.run([&] { ++ran; });
  }
  EXPECT_EQ(ran, 1000);
}

TEST(HostCalls, AreThereWhileOneRuns) {
  const base::SteadyClock clock;
  HostCalls calls(clock, false, 10us);
  EXPECT_FALSE(calls.any());
  std::latch go(1), done(1);
  calls.run([&] {
    go.wait();
    done.count_down();
  });
  EXPECT_TRUE(calls.any());
  go.count_down();
  done.wait();
}

// A clock that stands still ends no thread's search for the next function; the end of all does.
TEST(HostCalls, EndAlthoughTheClockStands) {
  const base::ManualClock clock;
  std::atomic<bool> ran{false};
  {
    HostCalls calls(clock, false, 10us);
    calls.run([&] { ran = true; });
  }
  EXPECT_TRUE(ran);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// In a process with address space for a few threads more: all functions run, one after the other if they must.
TEST(HostCalls, RunWhereThereAreTooFewThreads) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    constexpr std::size_t room = 100 << 20;
    const rlim_t limit = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + room;
    const rlimit address_space{limit, limit};
    if (::setrlimit(RLIMIT_AS, &address_space) != 0) ::_exit(2);
    std::atomic<bool> go{false};
    std::atomic<int> begun{0}, ran{0};
    {
      const base::SteadyClock clock;
      HostCalls calls(clock, false, 10us);
      for (int i = 0; i < 100; ++i)
        calls.run([&] {
          ++begun;
          go.wait(false);
          ++ran;
        });
      if (begun == 100) ::_exit(3);  // there were threads for all
      go = true;
      go.notify_all();
    }
    ::_exit(ran == 100 ? 0 : 4);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}
#endif

}  // namespace
}  // namespace heddle::device::cpu
