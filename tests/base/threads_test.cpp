#include <gtest/gtest.h>

#include <csignal>
#include <semaphore>
#include <vector>

#include "base/thread.hpp"
#include "base/thread_cache.hpp"
#include "base/worker_thread.hpp"

namespace heddle::base {
namespace {

TEST(Thread, GetsNoSignalsOfTheProgram) {
  bool interrupt = false, fault = true;
  start_thread("test", [&] {
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    interrupt = sigismember(&blocked, SIGINT) == 1;
    fault = sigismember(&blocked, SIGSEGV) == 1;
  }).join();
  EXPECT_TRUE(interrupt);
  EXPECT_FALSE(fault);
  sigset_t own;
  pthread_sigmask(SIG_SETMASK, nullptr, &own);
  EXPECT_EQ(sigismember(&own, SIGINT), 0);
}

TEST(WorkerThread, RunsInOrderAndToTheEnd) {
  std::vector<int> seen;
  {
    WorkerThread worker("test");
    for (int i = 0; i < 100; ++i) worker.post([&, i] { seen.push_back(i); });
    worker.drain();
    EXPECT_EQ(seen.size(), 100u);
    for (int i = 100; i < 200; ++i) worker.post([&, i] { seen.push_back(i); });
  }
  ASSERT_EQ(seen.size(), 200u);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
}

TEST(ThreadCache, PiecesOfWorkMayWaitForEachOther) {
  ThreadCache cache("test");
  constexpr int count = 20;
  for (int round = 0; round < 3; ++round) {
    std::counting_semaphore<> here{0}, go{0}, done{0};
    for (int i = 0; i < count; ++i)
      cache.run([&] {
        here.release();
        go.acquire();
        done.release();
      });
    for (int i = 0; i < count; ++i) here.acquire();
    go.release(count);
    for (int i = 0; i < count; ++i) done.acquire();
  }
}

}  // namespace
}  // namespace heddle::base
