// Barriers and warp operations: which lanes wait, which take part, and what they get.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/machine/stepped_kernel.hpp"

namespace heddle::device::machine {
namespace {

using testing::HasSubstr;

TEST(CoreBarrier, ArrivalsAreReportedAndCounted) {
  SteppedKernel k(".reg .b32 %r<2>; bar.sync 3; mov.u32 %r1, 1; ret;", 4);
  k.step(0b1011);
  EXPECT_EQ(k.effects.waiting, 0b1011u);
  EXPECT_EQ(k.effects.operation->involves, Involves::barrier);
  EXPECT_EQ(k.effects.barrier[3].id, 3u);
  EXPECT_EQ(k.effects.barrier[3].threads, 0u);
  EXPECT_TRUE(k.effects.barrier[3].waits);
  for (unsigned lane : {0u, 1u, 3u}) {
    EXPECT_FALSE(k.core->arrive(*k.block, k.block->threads[lane], k.effects.barrier[lane])) << lane;
    EXPECT_EQ(k.block->threads[lane].state, ThreadState::at_barrier);
    EXPECT_EQ(k.pc(lane), 0u);
  }
  k.step(0b0100);
  EXPECT_TRUE(k.core->arrive(*k.block, k.block->threads[2], k.effects.barrier[2]));
  k.core->release(*k.block, 3);
  for (const Thread& thread : k.block->threads) {
    EXPECT_EQ(thread.state, ThreadState::runnable);
    EXPECT_EQ(thread.pc(), 1u);
  }
  EXPECT_FALSE(k.block->barriers[3].active);
}

TEST(CoreBarrier, WhoExitsIsNotWaitedFor) {
  SteppedKernel k(R"(
    .reg .pred %p<2>; .reg .b32 %r<2>;
    mov.u32 %r1, %laneid;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 exit;
    bar.sync 0;
    ret;)",
                  2);
  k.steps(2, 0b11);
  EXPECT_EQ(k.step(0b11).exited, 0b01u);
  k.step(0b10);
  EXPECT_TRUE(k.core->arrive(*k.block, k.block->threads[1], k.effects.barrier[1]));
}

TEST(CoreBarrier, ReducesPredicates) {
  SteppedKernel k(R"(
    .reg .pred %p<3>; .reg .b32 %r<3>;
    mov.u32 %r1, %laneid;
    setp.lt.u32 %p1, %r1, 3;
    bar.red.popc.u32 %r2, 0, %p1;
    ret;)",
                  4);
  k.steps(2, 0b1111);
  k.step(0b1111);
  EXPECT_TRUE(k.effects.barrier[2].predicate);
  EXPECT_FALSE(k.effects.barrier[3].predicate);
  for (unsigned lane = 0; lane < 4; ++lane)
    EXPECT_EQ(k.core->arrive(*k.block, k.block->threads[lane], k.effects.barrier[lane]), lane == 3);
  k.core->release(*k.block, 0);
  for (unsigned lane = 0; lane < 4; ++lane) EXPECT_EQ(k.value(lane, "%r2"), 3u);
}

TEST(CoreBarrier, WhoOnlyArrivesGoesOn) {
  SteppedKernel k("bar.arrive 1, 64; ret;", 64);
  k.step(~LaneMask{0});
  EXPECT_EQ(k.effects.waiting, ~LaneMask{0});
  EXPECT_FALSE(k.effects.barrier[0].waits);
  EXPECT_EQ(k.effects.barrier[0].threads, 64u);
  EXPECT_FALSE(k.core->arrive(*k.block, k.block->threads[0], k.effects.barrier[0]));
  EXPECT_EQ(k.block->threads[0].state, ThreadState::runnable);
  EXPECT_EQ(k.pc(0), 1u);
}

TEST(CoreBarrier, MayNotBeUsedForTwoNumbersAtOnce) {
  SteppedKernel k("bar.sync 0, 32;\nbar.sync 0;\nret;", 64);
  k.step(1);
  k.core->arrive(*k.block, k.block->threads[0], k.effects.barrier[0]);
  k.block->threads[1].pc() = 1;
  k.step(0b10);
  try {
    k.core->arrive(*k.block, k.block->threads[1], k.effects.barrier[1]);
    FAIL() << "two numbers of threads at one barrier";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("thread (1, 0, 0), PTX line 6: "));
    EXPECT_THAT(error.what(),
                HasSubstr("barrier 0 is used for the whole block here, while others wait there for 32 threads"));
  }
}

TEST(CoreWarp, LanesWaitForThoseOfTheirMask) {
  SteppedKernel k(R"(
    .reg .b32 %r<4>;
    mov.u32 %r1, %laneid;
    shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0x0000000f;
    ret;)");
  const Warp& warp = k.block->warps[0];
  k.step(0b1111);
  k.step(0b0011);
  EXPECT_EQ(k.effects.waiting, 0b0011u);
  EXPECT_EQ(k.effects.members[1], 0b1111u);
  EXPECT_EQ(k.pc(1), 1u);
  const auto meet = [&](unsigned lane) {
    k.block->threads[lane].state = ThreadState::meeting;
    k.block->threads[lane].meeting_mask = k.effects.members[lane];
  };
  meet(0);
  meet(1);
  EXPECT_EQ(k.block->met(warp.lanes, 0), 0u);
  k.step(0b1100);
  meet(2);
  EXPECT_EQ(k.block->met(warp.lanes, 2), 0u);
  meet(3);
  EXPECT_EQ(k.block->met(warp.lanes, 2), 0b1111u);
  k.core->perform(*k.block, warp.lanes, 0b1111, k.effects);
  EXPECT_EQ(k.effects.ran, 0b1111u);
  EXPECT_EQ(k.effects.operation->action, Action::shuffle);
  const std::uint64_t expected[] = {1, 0, 3, 2};
  for (unsigned lane = 0; lane < 4; ++lane) {
    EXPECT_EQ(k.value(lane, "%r2"), expected[lane]);
    EXPECT_EQ(k.pc(lane), 2u);
  }
}

TEST(CoreWarp, WithoutAMaskWhoIsThereTakesPart) {
  SteppedKernel k(".reg .b32 %r<2>; activemask.b32 %r1; ret;");
  EXPECT_EQ(k.step(0b10100).waiting, 0b10100u);
  EXPECT_EQ(k.effects.operation->involves, Involves::gathering);
  k.core->perform(*k.block, k.block->warps[0].lanes, 0b10100, k.effects);
  EXPECT_EQ(k.value(2, "%r1"), 0b10100u);
  EXPECT_EQ(k.value(4, "%r1"), 0b10100u);
}

TEST(CoreWarp, AMaskNamesTheLaneItself) {
  SteppedKernel k(".reg .b32 %r<3>;\nredux.sync.add.u32 %r1, %r2, 1;\nret;");
  try {
    k.step(0b11);
    FAIL() << "the mask does not name lane 1";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("thread (1, 0, 0)"));
    EXPECT_THAT(error.what(),
                HasSubstr("lane 1 executes 'redux' with the member mask 0x00000001, which does not name it"));
  }
}

}  // namespace
}  // namespace heddle::device::machine
