#include "base/dedicated_thread.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "support/wait_until.hpp"

namespace heddle::base {
namespace {

TEST(DedicatedThread, RunsInAnotherThreadAndWaits) {
  std::thread::id there;
  run_on_dedicated_thread([&] {
    tests::let_pass(SteadyClock(), 250'000'000);  // longer than the caller is in doubt
    there = std::this_thread::get_id();
  });
  EXPECT_NE(there, std::thread::id());
  EXPECT_NE(there, std::this_thread::get_id());
}

TEST(DedicatedThread, ThrowsWhatTheWorkThrows) {
  EXPECT_THROW(run_on_dedicated_thread([] { throw std::out_of_range("so"); }), std::out_of_range);
}

TEST(DedicatedThread, WorkWithinWorkStaysInItsThread) {
  std::thread::id outer, inner;
  run_on_dedicated_thread([&] {
    outer = std::this_thread::get_id();
    run_on_dedicated_thread([&] { inner = std::this_thread::get_id(); });
  });
  EXPECT_EQ(outer, inner);
}

TEST(DedicatedThread, SignalsOfTheProgramAreNotTheWorks) {
  sigset_t there, here;
  pthread_sigmask(SIG_BLOCK, nullptr, &here);
  run_on_dedicated_thread([&] { pthread_sigmask(SIG_BLOCK, nullptr, &there); });
  EXPECT_TRUE(sigismember(&there, SIGALRM));
  EXPECT_TRUE(sigismember(&there, SIGINT));
  EXPECT_FALSE(sigismember(&there, SIGSEGV));
  sigset_t after;
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  EXPECT_EQ(sigismember(&here, SIGALRM), sigismember(&after, SIGALRM));
}

TEST(DedicatedThread, HasAStackThatIsLargeEnough) {
  std::size_t size = 0;
  run_on_dedicated_thread([&] {
    pthread_attr_t attributes;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_destroy(&attributes);
  });
  EXPECT_GE(size, 16u << 20);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // their malloc() is another one
// Blocks that the work has used and given back are not handed to the program.
TEST(DedicatedThread, LeavesTheProgramsHeapAlone) {
  constexpr std::size_t block = 50'000, blocks = 200;  // of a size that is not mapped by itself
  const auto dirty = [] {
    std::vector<void*> all;
    for (std::size_t i = 0; i < blocks; ++i) all.push_back(std::memset(std::malloc(block), 0xab, block));
    for (void* each : all) std::free(each);
  };
  const auto used = [] {
    std::size_t dirty_blocks = 0;
    std::vector<unsigned char*> all;
    for (std::size_t i = 0; i < blocks; ++i) {
      all.push_back(static_cast<unsigned char*>(std::malloc(block)));
      if (all.back()[block / 2] == 0xab && all.back()[block - 16] == 0xab) ++dirty_blocks;
    }
    for (void* each : all) std::free(each);
    return dirty_blocks;
  };
  run_on_dedicated_thread(dirty);
  EXPECT_EQ(used(), 0u);
  void* const end = std::malloc(block);  // or the heap would be cut short, and come back as zeros
  dirty();
  EXPECT_GT(used(), 0u) << "this test sees nothing";
  std::free(end);
}
#endif

}  // namespace

// dedicated_thread_library.cpp, in its constructor: with the loader's lock.
extern "C" __attribute__((visibility("default"))) void dedicated_thread_library_loads() {
  void* opened = nullptr;
  run_on_dedicated_thread([&] { opened = ::dlopen("libm.so.6", RTLD_NOW); });
  EXPECT_NE(opened, nullptr);
}

namespace {

TEST(DedicatedThread, LibrariesCanBeOpenedFromTheConstructorOfALibrary) {
  EXPECT_NE(::dlopen(HEDDLE_DEDICATED_THREAD_LIBRARY, RTLD_NOW), nullptr) << ::dlerror();
}

}  // namespace
}  // namespace heddle::base
