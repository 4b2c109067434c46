// Faults of kernels become Errors, and everything else lives on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <setjmp.h>
#include <signal.h>

#include <atomic>

#include "device/cpu/native.hpp"
#include "device/cpu/sanitizer.hpp"

namespace heddle::device::cpu::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Not known to the compiler, which would warn.
volatile int* wild_pointer() {
  static volatile std::uintptr_t address = 0x40;
  return reinterpret_cast<volatile int*>(address);
}

// Block 3 writes to the address, lane by lane.
HEDDLE_NO_SANITIZE void poke_direct(const LaunchContext* launch, WarpContext* warp, std::uint64_t begin,
                                    std::uint64_t end) {
  for (std::uint64_t block = begin; block < end; ++block)
    for_each_thread(launch, warp, block, [&](std::uint32_t) {
      if (block == 3) *argument<volatile int>(launch, 0) = 1;
    });
}
HEDDLE_NO_SANITIZE void poke_fiber(WarpContext* warp) {
  sync(warp);
  if (warp->block->block_id[0] == 3 && warp->first_thread == 32) *argument<volatile int>(warp, 0) = 1;
  sync(warp);
}
HEDDLE_NO_SANITIZE void divide(const LaunchContext* launch, WarpContext*, std::uint64_t, std::uint64_t) {
  volatile int zero = *argument<int>(launch, 0);
  asm volatile("cltd; idivl %1" : : "a"(1), "r"(zero) : "edx", "cc");
}
HEDDLE_NO_SANITIZE void illegal(const LaunchContext*, WarpContext*, std::uint64_t, std::uint64_t) {
  asm volatile("ud2");
}
HEDDLE_NO_SANITIZE int deep(volatile char* p, int n) {
  volatile char frame[512];
  frame[0] = *p;
  return n == 0 ? 0 : deep(&frame[0], n - 1) + frame[0];
}
void overflow_fiber(WarpContext* warp) {
  char c = 0;
  if (deep(&c, 1'000'000) == 42) sync(warp);
}
void overflow_direct(const LaunchContext*, WarpContext*, std::uint64_t, std::uint64_t) {
  char c = 0;
  if (deep(&c, 1'000'000) == 42) std::abort();
}
void trap(WarpContext* warp) { warp->block->launch->runtime->trap(warp, 5); }
void fail_assertion(const LaunchContext* launch, WarpContext* warp, std::uint64_t begin, std::uint64_t) {
  for_each_thread(launch, warp, begin, [](std::uint32_t) {});
  warp->first_thread = 0;
  launch->runtime->assert_fail(warp, 2, reinterpret_cast<std::uint64_t>("x > 0"),
                               reinterpret_cast<std::uint64_t>("a.cu"), 17,
                               reinterpret_cast<std::uint64_t>("void k(int)"));
}
void bad_jump(WarpContext* warp) { warp->block->launch->runtime->bad_jump(warp, 0, 0x1234); }
void print_wild(WarpContext* warp) {
  const char* wild = reinterpret_cast<const char*>(0x10);
  const std::uint64_t arguments = reinterpret_cast<std::uint64_t>(&wild);
  warp->block->launch->runtime->vprintf(warp, 0, reinterpret_cast<std::uint64_t>("%s"), arguments);
}
void count(const LaunchContext* launch, WarpContext*, std::uint64_t begin, std::uint64_t end) {
  argument<std::atomic<std::uint32_t>>(launch, 0)->fetch_add(static_cast<std::uint32_t>(end - begin));
}
void count_slowly(const LaunchContext* launch, WarpContext* warp, std::uint64_t begin, std::uint64_t end) {
  for (int i = 0; i < 1000; ++i) asm volatile("pause");
  count(launch, warp, begin, end);
}
void free_twice(WarpContext* warp) {
  const RuntimeTable& runtime = *warp->block->launch->runtime;
  const std::uint64_t a = runtime.malloc(warp, 100);
  runtime.free(warp, a);
  runtime.free(warp, a);
}
void free_foreign(WarpContext* warp) {
  warp->block->launch->runtime->free(warp, reinterpret_cast<std::uint64_t>(argument<char>(warp, 0)));
}

class Faults : public testing::Test {
 protected:
  static CpuOptions options() {
    CpuOptions options;
    options.workers = 2;
    return options;
  }
  // Launches with an address as the argument; the message of the kernel_fault.
  std::string message(std::string_view name, const void* address = nullptr,
                      LaunchConfig config = {.grid = {1}, .block = {64}}) {
    native.launch(*queue, name, config, const_cast<void*>(address));
    return error_of(ErrorCode::kernel_fault, [&] { queue->synchronize(); });
  }
  void expect_alive() {
    std::atomic<std::uint32_t> ran{0};
    native.launch(*queue, "count", {.grid = {10}}, &ran);
    queue->synchronize();
    EXPECT_EQ(ran.load(), 10u);
  }

  NativeDevice native{
      {direct("poke_direct", &poke_direct), fiber("poke_fiber", &poke_fiber), direct("divide", &divide),
       direct("illegal", &illegal), fiber("overflow_fiber", &overflow_fiber),
       direct("overflow_direct", &overflow_direct), fiber("trap", &trap), direct("fail_assertion", &fail_assertion),
       fiber("bad_jump", &bad_jump), fiber("print_wild", &print_wild), direct("count", &count),
       direct("count_slowly", &count_slowly), fiber("free_twice", &free_twice), fiber("free_foreign", &free_foreign)},
      options()};
  std::unique_ptr<Queue> queue = native.device.queue({});
};

TEST_F(Faults, WildAccessInDirectShape) {
  const auto memory = native.device.allocate(1 << 20);
  const auto past = reinterpret_cast<void*>(memory->span().address + (1 << 20) + 16);
  const std::string what = message("poke_direct", past, {.grid = {8}, .block = {40}});
  EXPECT_THAT(what, AllOf(HasSubstr("kernel 'poke_direct', block (3, 0, 0)"), HasSubstr("16 bytes past the end"),
                          HasSubstr("1048576 bytes"), HasSubstr("threads (0, 0, 0) to (31, 0, 0)")));
  expect_alive();
}

TEST_F(Faults, WildAccessInFiberShape) {
  const std::string what = message("poke_fiber", reinterpret_cast<void*>(0x40), {.grid = {8}, .block = {64}});
  EXPECT_THAT(what,
              AllOf(HasSubstr("block (3, 0, 0)"), HasSubstr("address 0x40"), HasSubstr("(32, 0, 0) to (63, 0, 0)")));
  expect_alive();
}

// As programs do of which one thread waits for all signals.
TEST_F(Faults, AreCaughtWhereTheProgramHasBlockedTheirSignals) {
  sigset_t all, before, after;
  sigfillset(&all);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &all, &before), 0);
  {
    NativeDevice late{{direct("poke_direct", &poke_direct)}, options()};  // its threads begin with that mask
    const std::unique_ptr<Queue> its = late.device.queue({});
    for (int i = 0; i < 20; ++i) {
      late.launch(*its, "poke_direct", {.grid = {8}, .block = {40}}, reinterpret_cast<void*>(0x40));
      EXPECT_THAT(error_of(ErrorCode::kernel_fault, [&] { its->synchronize(); }), HasSubstr("address 0x40"));
    }
    EXPECT_THAT(message("poke_direct", reinterpret_cast<void*>(0x40), {.grid = {8}, .block = {40}}),
                HasSubstr("address 0x40"));
  }
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &before, &after), 0);
  EXPECT_EQ(sigismember(&after, SIGSEGV), 1) << "the program's mask is as it was";
  expect_alive();
}

TEST_F(Faults, NonCanonicalAddress) {
  EXPECT_THAT(message("poke_direct", reinterpret_cast<void*>(0x8000'0000'0000'0000ull), {.grid = {4}, .block = {1}}),
              HasSubstr("wild pointer"));
  expect_alive();
}

TEST_F(Faults, ArithmeticAndIllegalInstructions) {
  int zero = 0;
  EXPECT_THAT(message("divide", &zero), HasSubstr("arithmetic exception"));
  EXPECT_THAT(message("illegal"), HasSubstr("an instruction that the CPU does not know"));
  expect_alive();
}

TEST_F(Faults, StackOverflow) {
  EXPECT_THAT(message("overflow_fiber"), HasSubstr("stack overflow"));
  EXPECT_THAT(message("overflow_direct"), HasSubstr("stack overflow"));
  expect_alive();
}

TEST_F(Faults, RaisedByTheKernel) {
  EXPECT_THAT(message("trap"), AllOf(HasSubstr("thread (5, 0, 0): trap"), HasSubstr("'trap'")));
  EXPECT_THAT(message("fail_assertion"),
              AllOf(HasSubstr("thread (2, 0, 0): assertion 'x > 0' failed in void k(int), a.cu:17")));
  EXPECT_THAT(message("bad_jump"), HasSubstr("0x1234"));
  expect_alive();
}

TEST_F(Faults, InARuntimeCall) {
  EXPECT_THAT(message("print_wild"), AllOf(HasSubstr("print_wild"), HasSubstr("0x10")));
  expect_alive();
}

TEST_F(Faults, HeapMisuse) {
  EXPECT_THAT(message("free_twice"), HasSubstr("freed already"));
  const auto memory = native.device.allocate(64);
  EXPECT_THAT(message("free_foreign", memory->host()), HasSubstr("not from malloc"));
  expect_alive();
}

TEST_F(Faults, OtherLaunchesLiveOn) {
  const auto other = native.device.queue({});
  std::atomic<std::uint32_t> ran{0};
  for (int i = 0; i < 20; ++i) {
    native.launch(*other, "count_slowly", {.grid = {500}}, &ran);
    message("poke_direct", reinterpret_cast<void*>(0x40), {.grid = {100}, .block = {32}});
    message("trap", nullptr, {.grid = {100}, .block = {256}});
  }
  other->synchronize();
  EXPECT_EQ(ran.load(), 10'000u);
}

// Faults outside kernels are none of our business: the handler that was there before gets them.
sigjmp_buf jump;
std::atomic<int> foreign_faults{0};
void foreign_handler(int) {
  ++foreign_faults;
  siglongjmp(jump, 1);
}

TEST(FaultHandling, OthersGetTheirOwnFaults) {
#if defined(HEDDLE_ASAN) || defined(HEDDLE_TSAN)
  GTEST_SKIP() << "the sanitizer handles the signal itself";
#endif
  struct sigaction action = {}, before = {};
  action.sa_handler = &foreign_handler;
  ::sigaction(SIGSEGV, &action, &before);
  {
    NativeDevice native({direct("poke_direct", &poke_direct)}, {});
    volatile int* wild = wild_pointer();
    if (sigsetjmp(jump, 1) == 0) *wild = 1;
    EXPECT_EQ(foreign_faults.load(), 1);
    const auto queue = native.device.queue({});
    native.launch(*queue, "poke_direct", {.grid = {4}}, reinterpret_cast<void*>(0x40));
    error_of(ErrorCode::kernel_fault, [&] { queue->synchronize(); });
    EXPECT_EQ(foreign_faults.load(), 1);
  }
  struct sigaction after = {};
  ::sigaction(SIGSEGV, &before, &after);
  EXPECT_EQ(after.sa_handler, &foreign_handler);
}

// As Python's faulthandler does, and other runtimes: handlers that come after the device, and pass on what they had.
struct sigaction passed_on = {};
void later_handler(int signal, siginfo_t* info, void* context) {
  ++foreign_faults;
  if ((passed_on.sa_flags & SA_SIGINFO) != 0) passed_on.sa_sigaction(signal, info, context);
}

TEST(FaultHandling, HandlersInstalledLaterDoNotGetFaultsOfKernels) {
#if defined(HEDDLE_ASAN) || defined(HEDDLE_TSAN)
  GTEST_SKIP() << "the sanitizer handles the signal itself";
#endif
  foreign_faults = 0;
  NativeDevice native({direct("poke_direct", &poke_direct)}, {});
  struct sigaction action = {}, ours = {};
  action.sa_sigaction = &later_handler;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSEGV, &action, &ours);
  passed_on = ours;
  const auto queue = native.device.queue({});
  native.launch(*queue, "poke_direct", {.grid = {4}}, reinterpret_cast<void*>(0x40));
  error_of(ErrorCode::kernel_fault, [&] { queue->synchronize(); });
  EXPECT_EQ(foreign_faults.load(), 0);
}

TEST(FaultHandlingDeathTest, AHandlerThatCameLaterAndPassesOnDoesNotLoop) {
#if defined(HEDDLE_ASAN) || defined(HEDDLE_TSAN)
  GTEST_SKIP() << "the sanitizer reports the fault";
#endif
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        NativeDevice native({direct("poke_direct", &poke_direct)}, {});
        struct sigaction action = {};
        action.sa_sigaction = &later_handler;
        action.sa_flags = SA_SIGINFO;
        ::sigaction(SIGSEGV, &action, &passed_on);
        const auto queue = native.device.queue({});
        native.launch(*queue, "poke_direct", {.grid = {4}}, reinterpret_cast<void*>(0x40));
        error_of(ErrorCode::kernel_fault, [&] { queue->synchronize(); });
        *wild_pointer() = 1;
      },
      testing::KilledBySignal(SIGSEGV), "");
}

TEST(FaultHandlingDeathTest, OutsideKernelsTheProcessDiesAsEver) {
#if defined(HEDDLE_ASAN) || defined(HEDDLE_TSAN)
  GTEST_SKIP() << "the sanitizer reports the fault";
#endif
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        NativeDevice native({}, {});
        const auto queue = native.device.queue({});
        queue->call([] { *wild_pointer() = 1; });
        queue->synchronize();
      },
      testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace heddle::device::cpu::test
