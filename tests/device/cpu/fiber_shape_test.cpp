// Warps that wait for one another: barriers, flags, deadlocks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/clock.hpp"
#include "device/cpu/native.hpp"
#include "device/cpu/sanitizer.hpp"
#include "support/wait_until.hpp"

namespace heddle::device::cpu::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Word = std::atomic<std::uint32_t>;

// Each warp writes its number, all sync, each reads its neighbour's; many times.
void exchange(WarpContext* warp) {
  auto* shared = reinterpret_cast<std::uint32_t*>(warp->block->shared);
  auto* errors = argument<Word>(warp, 0);
  const std::uint32_t warps = block_threads(warp->block->launch) / 32, me = warp->first_thread / 32;
  for (std::uint32_t round = 0; round < 50; ++round) {
    shared[me] = warp->block->block_id[0] * 1000 + round + me;
    sync(warp);
    const std::uint32_t other = (me + 1) % warps;
    if (shared[other] != warp->block->block_id[0] * 1000 + round + other) errors->fetch_add(1);
    sync(warp);
  }
  argument<Word>(warp, 1)->fetch_add(1);
}

// Warp w leaves before the (w+1)th barrier.
void leave_early(WarpContext* warp) {
  const std::uint32_t me = warp->first_thread / 32;
  for (std::uint32_t round = 0; round < me; ++round) sync(warp);
  argument<Word>(warp, 0)->fetch_add(1);
}

void vote(WarpContext* warp) {
  const auto reduce = [&](BarrierKind kind, std::uint32_t value) {
    return warp->block->launch->runtime->barrier(warp, 1, 0, warp->lanes, kind, value);
  };
  const std::uint32_t me = warp->first_thread / 32;
  auto* results = argument<Word>(warp, 0) + 3 * me;
  results[0] = reduce(BarrierKind::reduce_popc, me);
  results[1] = reduce(BarrierKind::reduce_and, me == 2 ? 31 : 32);
  results[2] = reduce(BarrierKind::reduce_or, me == 2 ? 1 : 0);
}

// Warp 0 waits for a flag that warp 1 sets, with no barrier between them.
void flag_within_block(WarpContext* warp) {
  auto* flags = argument<Word>(warp, 0) + warp->block->block_id[0];
  if (warp->first_thread == 0) {
    while (flags->load() != 1) spin(warp);
    flags->store(2);
  } else {
    flags->store(1);
    while (flags->load() != 2) spin(warp);
  }
}

// The same wait, with barriers in each turn.
void wait_between_barriers(WarpContext* warp) {
  const LaunchContext* launch = warp->block->launch;
  auto* flags = argument<Word>(warp, 0);
  auto* go = reinterpret_cast<std::uint32_t*>(warp->block->shared);
  const std::uint32_t me = warp->block->block_id[0];
  for (;;) {
    sync(warp);
    if (warp->first_thread == 0) *go = me + 1 == launch->grid[0] || flags[me + 1].load() != 0 ? 1 : 0;
    sync(warp);
    if (*go != 0) break;
    spin(warp);
  }
  flags[me].store(1);
}

// Each warp writes its number behind each of 20 barriers, in the order in which warps come there. Warp 3 comes to each
// barrier last: it waits until all others are there or about to be.
void write_order_behind_a_late_warp(WarpContext* warp) {
  auto* next = argument<Word>(warp, 0);
  auto* order = argument<Word>(warp, 1);
  auto* there = argument<Word>(warp, 2);
  for (std::uint32_t round = 0; round < 20; ++round) {
    if (warp->first_thread / 32 == 3)
      while (there->load() != 7 * (round + 1)) spin(warp);
    else
      there->fetch_add(1);
    sync(warp);
    order[next->fetch_add(1)].store(warp->first_thread / 32);
  }
}

// Block b waits for block b + 1, so that the first can only end when the last has started.
void wait_for_next_block(WarpContext* warp) {
  const LaunchContext* launch = warp->block->launch;
  auto* flags = argument<Word>(warp, 0);
  const std::uint32_t me = warp->block->block_id[0];
  if (me + 1 < launch->grid[0])
    while (flags[me + 1].load() == 0) spin(warp);
  sync(warp);
  flags[me].store(1);
}

// Decoupled look-back: block b waits for block b - 1.
void wait_for_previous_block(WarpContext* warp) {
  auto* flags = argument<Word>(warp, 0);
  const std::uint32_t me = warp->block->block_id[0];
  if (me > 0)
    while (flags[me - 1].load() == 0) spin(warp);
  flags[me].store(flags[me == 0 ? 0 : me - 1].load() + 1);
}

// All blocks meet several times.
void grid_barrier(WarpContext* warp) {
  const std::uint32_t blocks = warp->block->launch->grid[0];
  auto* arrived = argument<Word>(warp, 0);
  for (std::uint32_t round = 1; round <= 5; ++round) {
    sync(warp);
    if (warp->first_thread == 0) {
      arrived->fetch_add(1);
      while (arrived->load() < round * blocks) spin(warp);
    }
    sync(warp);
  }
}

void spin_lock(WarpContext* warp) {
  auto* lock = argument<Word>(warp, 0);
  auto* plain = argument<std::uint64_t>(warp, 1);
  std::uint32_t free = 0;
  while (!lock->compare_exchange_weak(free, 1)) {
    free = 0;
    spin(warp);
  }
  const std::uint64_t value = *plain;
  for (int i = 0; i < 3; ++i) spin(warp);  // others get to run while the lock is held
  *plain = value + 1;
  lock->store(0);
}

void missing_warp(WarpContext* warp) {
  warp->line = 7;
  if (warp->first_thread == 64) {
    sync(warp, 1);
  } else {
    sync(warp);
  }
}

std::atomic<unsigned> turns_of_waiting{0};
void wait_for_ever(WarpContext* warp) {
  while (argument<Word>(warp, 0)->load() == 0) {
    ++turns_of_waiting;
    spin(warp);
  }
}

void set_flag(WarpContext* warp) { argument<Word>(warp, 0)->store(1); }
void set_flag_direct(const LaunchContext* launch, WarpContext*, std::uint64_t, std::uint64_t) {
  argument<Word>(launch, 0)->store(1);
}

void sleep_a_while(WarpContext* warp) {
  warp->block->launch->runtime->nanosleep(warp, 200'000, 0);
  argument<Word>(warp, 0)->fetch_add(1);
}

// As code that is kind to others writes it: asks, sleeps, asks again.
void sleep_for_ever(WarpContext* warp) {
  while (argument<Word>(warp, 0)->load() == 0) {
    warp->block->launch->runtime->nanosleep(warp, 1000, 0);
    spin(warp);
  }
}

// Two blocks hand a number to and fro, with nothing but loads and stores, until a deadline on the host's clock.
void ping_pong(WarpContext* warp) {
  auto* number = argument<Word>(warp, 0);
  const auto* until = argument<std::uint64_t>(warp, 1);
  const std::uint32_t me = warp->block->block_id[0];
  for (;;) {
    std::uint32_t now = number->load();
    while (now % 2 != me && now < 0x80000000u) {
      spin(warp);
      now = number->load();
    }
    if (now >= 0x80000000u) return;
    number->store(warp->block->launch->runtime->global_timer() > *until ? 0x80000000u : now + 1);
  }
}

// Every thread is a fiber. Lanes meet in two groups, then all; every fifth thread leaves first.
void meet_lanes(WarpContext* warp) {
  const auto meet = warp->block->launch->runtime->warp_meet;
  const std::uint32_t lane = warp->first_thread % 32;
  auto* results = argument<Word>(warp, 0);
  if (lane % 5 == 4) return;
  std::uint64_t values[32];
  const std::uint32_t odd = 0xAAAAAAAA, even = 0x55555555;
  std::uint32_t mask = meet(warp, lane % 2 == 1 ? odd : even, lane * 10, values);
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < 32; ++i)
    if (mask >> i & 1) sum += values[i];
  mask = meet(warp, 0xFFFFFFFF, sum, values);
  std::uint64_t total = 0;
  for (unsigned i = 0; i < 32; ++i)
    if (mask >> i & 1) total += values[i];
  results[warp->first_thread].store(static_cast<std::uint32_t>(total));
}

// Every thread is a fiber. Even and odd lanes ask at two places which lanes are there; every fifth thread leaves first,
// and one waits for the others' answers.
void gather_lanes(WarpContext* warp) {
  const auto active_mask = warp->block->launch->runtime->active_mask;
  const std::uint32_t lane = warp->first_thread % 32;
  auto* results = argument<Word>(warp, 0);
  auto* answered = argument<Word>(warp, 1);
  if (lane % 5 == 4) return;
  if (lane == 3)
    while (answered->load() == 0) spin(warp);
  std::uint32_t mask;
  if (lane % 2 == 1) {
    mask = active_mask(warp);
    asm volatile("nop");  // two calls, at two places
  } else {
    mask = active_mask(warp);
    asm volatile("nop; nop");
  }
  answered->store(1);
  results[warp->first_thread].store(mask);
}

void sync_threads(WarpContext* warp) {
  auto* counter = argument<Word>(warp, 0) + warp->block->block_id[0];
  counter->fetch_add(1);
  sync(warp);
  if (counter->load() != block_threads(warp->block->launch)) argument<Word>(warp, 1)->fetch_add(1);
}

void misuse(WarpContext* warp) { sync(warp, 20); }

class FiberShape : public testing::TestWithParam<unsigned> {
 protected:
  static CpuOptions options() {
    CpuOptions options;
    options.workers = GetParam();
    options.pin = false;
    options.deadlock_timeout = std::chrono::milliseconds(300);
    return options;
  }
  static std::vector<NativeKernel> kernels() {
    std::vector<NativeKernel> all = {fiber("exchange", &exchange, 2),
                                     fiber("leave_early", &leave_early),
                                     fiber("vote", &vote),
                                     fiber("flag_within_block", &flag_within_block),
                                     fiber("wait_for_next_block", &wait_for_next_block),
                                     fiber("wait_between_barriers", &wait_between_barriers),
                                     fiber("write_order_behind_a_late_warp", &write_order_behind_a_late_warp, 3),
                                     fiber("wait_for_previous_block", &wait_for_previous_block),
                                     fiber("grid_barrier", &grid_barrier),
                                     fiber("spin_lock", &spin_lock, 2),
                                     fiber("missing_warp", &missing_warp, 0),
                                     fiber("wait_for_ever", &wait_for_ever),
                                     fiber("set_flag", &set_flag),
                                     direct("set_flag_direct", &set_flag_direct),
                                     fiber("sleep_a_while", &sleep_a_while),
                                     fiber("meet_lanes", &meet_lanes, 1, 1),
                                     fiber("gather_lanes", &gather_lanes, 2, 1),
                                     fiber("sync_threads", &sync_threads, 2, 1),
                                     fiber("misuse", &misuse, 0),
                                     fiber("sleep_for_ever", &sleep_for_ever),
                                     fiber("ping_pong", &ping_pong, 2)};
    for (NativeKernel& kernel : all) kernel.shared_bytes = 256;
    return all;
  }
  NativeDevice native{kernels(), options()};
  std::unique_ptr<Queue> queue = native.device.queue({});
};

TEST_P(FiberShape, BarriersKeepWarpsInStep) {
  for (const std::uint32_t warps : {1u, 2u, 8u, 32u}) {
    Word errors{0}, finished{0};
    native.launch(*queue, "exchange", {.grid = {37}, .block = {warps * 32}}, &errors, &finished);
    queue->synchronize();
    EXPECT_EQ(errors.load(), 0u);
    EXPECT_EQ(finished.load(), 37 * warps);
  }
}

TEST_P(FiberShape, WarpsThatLeaveCountAsArrived) {
  Word finished{0};
  native.launch(*queue, "leave_early", {.grid = {10}, .block = {512}}, &finished);
  queue->synchronize();
  EXPECT_EQ(finished.load(), 160u);
}

TEST_P(FiberShape, Reductions) {
  Word results[12]{};
  native.launch(*queue, "vote", {.grid = {1}, .block = {128}}, results);
  queue->synchronize();
  for (unsigned warp = 0; warp < 4; ++warp) {
    EXPECT_EQ(results[3 * warp].load(), 6u);
    EXPECT_EQ(results[3 * warp + 1].load(), 0u);
    EXPECT_EQ(results[3 * warp + 2].load(), 1u);
  }
}

TEST_P(FiberShape, FlagsWithinABlock) {
  std::vector<Word> flags(20);
  native.launch(*queue, "flag_within_block", {.grid = {20}, .block = {64}}, flags.data());
  queue->synchronize();
  for (const Word& flag : flags) EXPECT_EQ(flag.load(), 2u);
}

TEST_P(FiberShape, BlocksThatWaitForLaterBlocks) {
  std::vector<Word> flags(300);
  native.launch(*queue, "wait_for_next_block", {.grid = {300}, .block = {64}}, flags.data());
  queue->synchronize();
  for (const Word& flag : flags) EXPECT_EQ(flag.load(), 1u);
}

TEST_P(FiberShape, BlocksThatWaitForLaterBlocksBetweenBarriers) {
  std::vector<Word> flags(40);
  native.launch(*queue, "wait_between_barriers", {.grid = {40}, .block = {96}}, flags.data());
  queue->synchronize();
  for (const Word& flag : flags) EXPECT_EQ(flag.load(), 1u);
}

TEST_P(FiberShape, WarpsGoOnInTheirOrderWhicheverCameLast) {
  std::vector<Word> order(20 * 8);
  Word next{0}, there{0};
  native.launch(*queue, "write_order_behind_a_late_warp", {.grid = {1}, .block = {256}}, &next, order.data(), &there);
  queue->synchronize();
  for (unsigned i = 0; i < order.size(); ++i) EXPECT_EQ(order[i].load(), i % 8) << i;
}

TEST_P(FiberShape, BlocksThatWaitForEarlierBlocks) {
  std::vector<Word> flags(3000);
  native.launch(*queue, "wait_for_previous_block", {.grid = {3000}, .block = {32}}, flags.data());
  queue->synchronize();
  EXPECT_EQ(flags[2999].load(), 3000u);
}

TEST_P(FiberShape, CooperativeGrids) {
  Word arrived{0};
  native.launch(*queue, "grid_barrier", {.grid = {50}, .block = {128}, .cooperative = true}, &arrived);
  queue->synchronize();
  EXPECT_EQ(arrived.load(), 250u);
  EXPECT_THAT(
      error_of(ErrorCode::invalid_argument,
               [&] { native.launch(*queue, "grid_barrier", {.grid = {100'000}, .cooperative = true}, &arrived); }),
      HasSubstr("too large"));
}

TEST_P(FiberShape, AdaptiveLocks) {
  Word lock{0};
  std::uint64_t counter = 0;
  native.launch(*queue, "spin_lock", {.grid = {200}, .block = {128}}, &lock, &counter);
  queue->synchronize();
  EXPECT_EQ(counter, 800u);
}

TEST_P(FiberShape, LaunchesThatWaitForOtherQueues) {
  const auto other = native.device.queue({});
  for (const char* setter : {"set_flag", "set_flag_direct"}) {
    Word flag{0};
    native.launch(*queue, "wait_for_ever", {.grid = {4}, .block = {64}}, &flag);
    native.launch(*other, setter, {}, &flag);
    queue->synchronize();
    other->synchronize();
  }
}

// Copies need no room beside blocks: a launch that fills the device with waiting blocks may wait for one.
TEST_P(FiberShape, FullDevicesStillCopy) {
#ifdef HEDDLE_TSAN
  GTEST_SKIP() << "NOT RUN: to ThreadSanitizer each of the warps that wait is a thread, and it has room for 8128";
#endif
  constexpr std::size_t bytes = 1 << 20;  // too large for the host thread to do at once
  const auto flag = native.device.allocate(bytes), one = native.device.allocate(bytes);
  queue->fill(flag->span(), 0, 4);
  queue->fill(one->span(), 1, 4);
  queue->synchronize();
  native.launch(*queue, "wait_for_ever", {.grid = {600}, .block = {1024}}, flag->host());
  const auto other = native.device.queue({});
  other->copy(flag->span(), one->span());
  EXPECT_NO_THROW(queue->synchronize());
}

TEST_P(FiberShape, DeadlockAtBarriersIsReportedAtOnce) {
  const auto start = std::chrono::steady_clock::now();
  native.launch(*queue, "missing_warp", {.grid = {5}, .block = {96}});
  const std::string what = error_of(ErrorCode::deadlock, [&] { queue->synchronize(); });
  EXPECT_THAT(what, AllOf(HasSubstr("kernel 'missing_warp', block ("), HasSubstr("Barrier 0 has 64 of 96 threads"),
                          HasSubstr("Barrier 1 has 32 of 96 threads"), HasSubstr("warps 0 to 1: waits at barrier 0"),
                          HasSubstr("warp 2: waits at barrier 1 at PTX line 7")));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  Word finished{0};
  native.launch(*queue, "leave_early", {.grid = {10}, .block = {96}}, &finished);
  queue->synchronize();
  EXPECT_EQ(finished.load(), 30u);
}

TEST_P(FiberShape, DeadlockOfSpinLoopsIsReported) {
  Word flag{0};
  native.launch(*queue, "wait_for_ever", {.grid = {3}, .block = {64}}, &flag);
  const std::string what = error_of(ErrorCode::deadlock, [&] { queue->synchronize(); });
  EXPECT_THAT(what, AllOf(HasSubstr("kernel 'wait_for_ever', block ("), HasSubstr("warps 0 to 1: loops")));
  // A host that sets the flag in time is no deadlock.
  turns_of_waiting = 0;
  std::thread host([&] {
    EXPECT_TRUE(tests::wait_until([] { return turns_of_waiting >= 1000; }));
    flag.store(1);
  });
  native.launch(*queue, "wait_for_ever", {.grid = {3}, .block = {64}}, &flag);
  EXPECT_NO_THROW(queue->synchronize());
  host.join();
}

TEST_P(FiberShape, SleepingIsNoProgress) {
  Word flag{0};
  native.launch(*queue, "sleep_for_ever", {.grid = {2}, .block = {64}}, &flag);
  EXPECT_THAT(error_of(ErrorCode::deadlock, [&] { queue->synchronize(); }), HasSubstr("kernel 'sleep_for_ever'"));
}

TEST_P(FiberShape, WorkHandedOnThroughMemoryIsNoDeadlock) {
  const auto memory = native.device.allocate(4);
  auto* number = static_cast<Word*>(memory->host());
  number->store(0);
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t until = base::SteadyClock().now_ns() + 1'000'000'000;  // three times the time limit for deadlocks
  native.launch(*queue, "ping_pong", {.grid = {2}, .block = {32}}, number, &until);
  EXPECT_NO_THROW(queue->synchronize());
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST_P(FiberShape, Nanosleep) {
  Word finished{0};
  const auto start = std::chrono::steady_clock::now();
  native.launch(*queue, "sleep_a_while", {.grid = {10}, .block = {128}}, &finished);
  queue->synchronize();
  EXPECT_EQ(finished.load(), 40u);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::microseconds(200));
}

TEST_P(FiberShape, OneLaneMeetings) {
  std::vector<Word> results(80);
  native.launch(*queue, "meet_lanes", {.grid = {1}, .block = {80}}, results.data());
  queue->synchronize();
  for (unsigned thread = 0; thread < 80; ++thread) {
    const unsigned warp = thread / 32, lanes = warp == 2 ? 16 : 32;
    std::uint32_t expected = 0;
    for (unsigned mine = 0; mine < lanes; ++mine) {
      if (mine % 5 == 4) continue;
      for (unsigned other = mine % 2; other < lanes; other += 2) expected += other % 5 == 4 ? 0 : other * 10;
    }
    EXPECT_EQ(results[thread].load(), thread % 32 % 5 == 4 ? 0 : expected) << thread;
  }
}

TEST_P(FiberShape, LanesThatAreAtOnePlace) {
  std::vector<Word> results(32);
  Word answered{0};
  native.launch(*queue, "gather_lanes", {.grid = {1}, .block = {32}}, results.data(), &answered);
  queue->synchronize();
  std::uint32_t there = 0;
  for (unsigned lane = 0; lane < 32; ++lane) there |= lane % 5 == 4 ? 0 : 1u << lane;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const std::uint32_t expected = lane % 5 == 4   ? 0
                                   : lane == 3     ? 1u << 3  // it came when the others had their answer
                                   : lane % 2 == 1 ? there & 0xAAAAAAAA & ~(1u << 3)
                                                   : there & 0x55555555;
    EXPECT_EQ(results[lane].load(), expected) << lane;
  }
}

TEST_P(FiberShape, OneLaneBarriers) {
  std::vector<Word> counters(6);
  Word errors{0};
  native.launch(*queue, "sync_threads", {.grid = {6}, .block = {1000}}, counters.data(), &errors);
  queue->synchronize();
  EXPECT_EQ(errors.load(), 0u);
}

TEST_P(FiberShape, WrongBarrierNumber) {
  native.launch(*queue, "misuse", {.grid = {1}, .block = {64}});
  EXPECT_THAT(error_of(ErrorCode::kernel_fault, [&] { queue->synchronize(); }), HasSubstr("barrier 20 does not exist"));
}

INSTANTIATE_TEST_SUITE_P(Workers, FiberShape, testing::Values(1, 2, 4));

}  // namespace
}  // namespace heddle::device::cpu::test
