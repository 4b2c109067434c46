// Warps that run one after the other to each barrier.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "device/cpu/native.hpp"
#include "device/cpu/sanitizer.hpp"

namespace heddle::device::cpu::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Word = std::atomic<std::uint32_t>;

// What generated code keeps of a warp that waits: where it continues comes first.
struct Frame {
  PhaseResume resume;
  WarpContext* warp;
  std::uint32_t round, first_thread;
};

constexpr std::uint32_t rounds = 20;

void wait_at_barrier(Frame& frame, PhaseResume next) { frame.resume = next; }
void end(Frame& frame) { frame.warp->ended = 1; }

// Each warp writes its number, all wait, each reads its neighbour's, all wait; many times.
std::uint32_t* shared_of(const Frame& frame) { return reinterpret_cast<std::uint32_t*>(frame.warp->block->shared); }
std::uint32_t word_of(const Frame& frame, std::uint32_t warp) {
  return frame.warp->block->block_id[0] * 1000 + frame.round * 10 + warp;
}
void exchange_read(void* memory);
void exchange_write(void* memory) {
  Frame& frame = *static_cast<Frame*>(memory);
  if (frame.round == rounds) {
    argument<Word>(frame.warp, 1)->fetch_add(frame.warp->lanes);
    return end(frame);
  }
  // The context is the block's, and says which warp runs.
  if (frame.warp->first_thread != frame.first_thread) argument<Word>(frame.warp, 0)->fetch_add(1);
  shared_of(frame)[frame.first_thread / 32] = word_of(frame, frame.first_thread / 32);
  wait_at_barrier(frame, &exchange_read);
}
void exchange_read(void* memory) {
  Frame& frame = *static_cast<Frame*>(memory);
  const std::uint32_t warps = (block_threads(frame.warp->block->launch) + 31) / 32;
  const std::uint32_t other = (frame.first_thread / 32 + 1) % warps;
  if (shared_of(frame)[other] != word_of(frame, other)) argument<Word>(frame.warp, 0)->fetch_add(1);
  ++frame.round;
  wait_at_barrier(frame, &exchange_write);
}
void exchange(WarpContext* warp, void* memory) {
  new (memory) Frame{nullptr, warp, 0, warp->first_thread};
  exchange_write(memory);
}

// Warp w ends behind its w-th barrier, and counts how many ended before it.
void leave_early_step(void* memory) {
  Frame& frame = *static_cast<Frame*>(memory);
  if (frame.round == frame.first_thread / 32) {
    if (argument<Word>(frame.warp, 0)->fetch_add(1) % 8 != frame.round) argument<Word>(frame.warp, 1)->fetch_add(1);
    return end(frame);
  }
  ++frame.round;
  wait_at_barrier(frame, &leave_early_step);
}
void leave_early(WarpContext* warp, void* memory) {
  new (memory) Frame{nullptr, warp, 0, warp->first_thread};
  leave_early_step(memory);
}

// Warp 2 of block 3 traps behind the first barrier.
void trap_step(void* memory) {
  Frame& frame = *static_cast<Frame*>(memory);
  WarpContext* const warp = frame.warp;
  if (warp->block->block_id[0] == 3 && warp->first_thread == 64) warp->block->launch->runtime->trap(warp, 5);
  argument<Word>(warp, 0)->fetch_add(1);
  end(frame);
}
void traps(WarpContext* warp, void* memory) {
  new (memory) Frame{nullptr, warp, 0, warp->first_thread};
  wait_at_barrier(*static_cast<Frame*>(memory), &trap_step);
}

// A warp asks to wait in another way than this shape has.
void spins(WarpContext* warp, void*) { spin(warp); }

struct Words {
  std::vector<Word> values = std::vector<Word>(2);
  Word* operator[](std::size_t i) { return &values[i]; }
};

NativeKernel exchanging() {
  NativeKernel kernel = phases("exchange", &exchange, sizeof(Frame), 2);
  kernel.shared_bytes = 128;
  return kernel;
}

TEST(Phases, WhatIsWrittenBeforeABarrierIsReadBehindIt) {
  NativeDevice native({exchanging()});
  auto queue = native.device.queue({});
  for (const std::uint32_t threads : {33u, 64u, 250u, 1024u}) {
    Words words;
    native.launch(*queue, "exchange", {.grid = {200}, .block = {threads}}, words[0], words[1]);
    queue->synchronize();
    EXPECT_EQ(*words[0], 0u) << threads;
    EXPECT_EQ(*words[1], 200 * threads) << "threads that came to their end";
  }
}

TEST(Phases, QueuesRunSideBySide) {
  NativeDevice native({exchanging()});
  Words words;
  std::vector<std::unique_ptr<Queue>> queues;
  for (int i = 0; i < 3; ++i) queues.push_back(native.device.queue({}));
  for (int i = 0; i < 30; ++i)
    native.launch(*queues[i % 3], "exchange", {.grid = {20}, .block = {128}}, words[0], words[1]);
  for (const auto& queue : queues) queue->synchronize();
  EXPECT_EQ(*words[0], 0u);
  EXPECT_EQ(*words[1], 30u * 20 * 128);
}

TEST(Phases, WarpsThatHaveEndedAreNotWaitedFor) {
  CpuOptions one_worker;
  one_worker.workers = 1;
  NativeDevice native({phases("leave_early", &leave_early, sizeof(Frame), 2)}, one_worker);
  auto queue = native.device.queue({});
  Words words;
  native.launch(*queue, "leave_early", {.grid = {50}, .block = {256}}, words[0], words[1]);
  queue->synchronize();
  EXPECT_EQ(*words[0], 50u * 8);
  EXPECT_EQ(*words[1], 0u) << "they end in the order of their barriers, block after block";
}

TEST(Phases, FaultsNameTheWarpAndLoseNothing) {
  NativeDevice native({phases("traps", &traps, sizeof(Frame)), exchanging()});
  auto queue = native.device.queue({});
  Words words;
  native.launch(*queue, "traps", {.grid = {3}, .block = {128}}, words[0]);
  queue->synchronize();
  EXPECT_EQ(*words[0], 12u);
  native.launch(*queue, "traps", {.grid = {8}, .block = {128}}, words[0]);
  const std::string text = error_of(ErrorCode::kernel_fault, [&] { queue->synchronize(); });
  EXPECT_THAT(text, AllOf(HasSubstr("traps"), HasSubstr("block (3, 0, 0)"), HasSubstr("thread (69, 0, 0)")));
  auto other = native.device.queue({});
  Words after;
  native.launch(*other, "exchange", {.grid = {20}, .block = {128}}, after[0], after[1]);
  other->synchronize();
  EXPECT_EQ(*after[0], 0u);
  EXPECT_EQ(*after[1], 20u * 128);
}

TEST(Phases, OtherWaysToWaitAreRefused) {
  NativeDevice native({phases("spins", &spins, sizeof(Frame), 0)});
  auto queue = native.device.queue({});
  native.launch(*queue, "spins", {.grid = {1}, .block = {64}});
  EXPECT_NE(error_of(ErrorCode::internal, [&] { queue->synchronize(); }), "no error");
}

}  // namespace
}  // namespace heddle::device::cpu::test
