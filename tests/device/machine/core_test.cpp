// Masks of lanes, control flow, and what the core throws.
#include "device/machine/core.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/machine/stepped_kernel.hpp"

namespace heddle::device::machine {
namespace {

using testing::HasSubstr;

TEST(Core, RunsTheLanesOfAMask) {
  SteppedKernel k(R"(
    .reg .b32 %r<3>;
    mov.u32 %r1, %laneid;
    add.u32 %r2, %r1, 100;
    ret;)");
  EXPECT_EQ(k.step(0b1010).ran, 0b1010u);
  EXPECT_EQ(k.effects.waiting | k.effects.branched | k.effects.exited | k.effects.called | k.effects.returned, 0u);
  EXPECT_TRUE(k.effects.accesses().empty());
  EXPECT_EQ(k.step(0b1000).ran, 0b1000u);
  EXPECT_EQ(k.value(3, "%r2"), 103u);
  EXPECT_EQ(k.value(1, "%r1"), 1u);
  EXPECT_EQ(k.pc(0), 0u);
  EXPECT_EQ(k.pc(1), 1u);
  EXPECT_EQ(k.pc(3), 2u);
}

TEST(Core, RunsAnyWarpOfTheBlock) {
  SteppedKernel k(".reg .b32 %r<2>; mov.u32 %r1, %tid.x; ret;", 40);
  ASSERT_EQ(k.block->warps.size(), 2u);
  k.step(0b10000000, 1);
  EXPECT_EQ(k.value(39, "%r1"), 39u);
  EXPECT_EQ(k.pc(7), 0u);
}

// As schedulers do that form warps anew (Dynamic Warp Formation, section 2.0): each lane has a thread of its own.
TEST(Core, RunsThreadsOfSeveralWarpsAsOneGroup) {
  SteppedKernel k(R"(
    .reg .b32 %r<3>; .reg .b64 %rd<3>;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [p];
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    st.global.u32 [%rd2], %r1;
    bra.uni end;
  end:
    ret;)",
                  64);
  LaneThreads group{};
  group[0] = &k.block->threads[32];
  group[1] = &k.block->threads[1];
  group[5] = &k.block->threads[37];
  for (int i = 0; i < 4; ++i) k.core->step(*k.block, group, 0b100011, k.effects);
  EXPECT_EQ(k.words[32], 32u);
  EXPECT_EQ(k.words[1], 1u);
  EXPECT_EQ(k.words[37], 37u);
  ASSERT_EQ(k.effects.accesses().size(), 3u);
  EXPECT_EQ(k.effects.accesses()[0].address, k.model_address() + 32 * 4);
  EXPECT_EQ(k.effects.accesses()[2].lane, 5u);
  k.core->step(*k.block, group, 0b100001, k.effects);
  EXPECT_EQ(k.effects.branched, 0b100001u);
  EXPECT_EQ(k.effects.target[5], 5u);
  EXPECT_EQ(k.pc(1), 4u);
  EXPECT_EQ(k.pc(33), 0u);
}

TEST(Core, MovesLanesOnWhoseGuardDoesNotHold) {
  SteppedKernel k(R"(
    .reg .pred %p<2>; .reg .b32 %r<3>;
    mov.u32 %r1, %laneid;
    setp.lt.u32 %p1, %r1, 4;
    @!%p1 mov.u32 %r2, 7;
    ret;)");
  k.steps(2);
  EXPECT_EQ(k.step(0b111100).ran, 0b110000u);
  EXPECT_EQ(k.value(4, "%r2"), 7u);
  EXPECT_EQ(k.value(3, "%r2"), 0u);
  EXPECT_EQ(k.pc(3), 3u);
  EXPECT_EQ(k.pc(4), 3u);
}

TEST(Core, SaysWhereLanesBranchTo) {
  SteppedKernel k(R"(
    .reg .pred %p<2>; .reg .b32 %r<3>;
    mov.u32 %r1, %laneid;
    setp.eq.u32 %p1, %r1, 2;
    @%p1 bra far;
    ret;
    ret;
  far:
    ret;)");
  k.steps(2);
  k.step(0b0110);
  EXPECT_EQ(k.effects.branched, 0b0100u);
  EXPECT_EQ(k.effects.target[2], 5u);
  EXPECT_EQ(k.pc(2), 5u);
  EXPECT_EQ(k.pc(1), 3u);
}

TEST(Core, SaysWhereTablesOfBranchesLead) {
  SteppedKernel k(R"(
    .reg .b32 %r<3>;
    mov.u32 %r1, %laneid;
  table: .branchtargets a, b;
    brx.idx %r1, table;
  a:
    ret;
  b:
    exit;)");
  k.step(0b111);
  k.step(0b011);
  EXPECT_EQ(k.effects.branched, 0b011u);
  EXPECT_EQ(k.effects.target[0], 2u);
  EXPECT_EQ(k.effects.target[1], 3u);
  EXPECT_THROW(k.step(0b100), Error);
}

TEST(Core, CallsAndReturns) {
  SteppedKernel k(R"(
    .reg .b32 %r<3>;
    .param .b32 given; .param .b32 result;
    mov.u32 %r1, %laneid;
    st.param.b32 [given], %r1;
    call (result), twice, (given);
    ld.param.b32 %r2, [result];
    ret;)",
                  32, {}, R"(
.func (.param .b32 out) twice(.param .b32 in) {
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [in];
  add.u32 %r2, %r1, %r1;
  st.param.b32 [out], %r2;
}
)");
  const LaneMask lanes = 0b1001;
  k.steps(2, lanes);
  EXPECT_EQ(k.step(lanes).called, lanes);
  EXPECT_EQ(k.effects.returned, 0u);
  EXPECT_EQ(k.block->threads[3].frames.size(), 2u);
  k.steps(3, lanes);
  EXPECT_EQ(k.step(lanes).returned, lanes);  // the end of the text
  EXPECT_EQ(k.effects.operation, nullptr);
  EXPECT_EQ(k.effects.ran, lanes);
  k.step(lanes);
  EXPECT_EQ(k.value(3, "%r2"), 6u);
}

TEST(Core, CountsThreadsThatExit) {
  SteppedKernel k(".reg .b32 %r<2>; mov.u32 %r1, 1; exit;", 4);
  k.steps(1, 0b1111);
  EXPECT_EQ(k.step(0b0101).exited, 0b0101u);
  EXPECT_EQ(k.block->alive, 2u);
  EXPECT_EQ(k.block->threads[2].state, ThreadState::exited);
  EXPECT_EQ(k.block->threads[1].state, ThreadState::runnable);
  k.step(0b1010);
  EXPECT_TRUE(k.block->finished());
}

TEST(Core, SaysThatAThreadWantsToSleep) {
  SteppedKernel k(".reg .b32 %r<2>; nanosleep.u32 100; mov.u32 %r1, 1; ret;");
  EXPECT_TRUE(k.step(1).yields);
  EXPECT_FALSE(k.step(1).yields);
}

TEST(Core, NamesThePlaceOfATrap) {
  SteppedKernel k(".reg .b32 %r<2>; mov.u32 %r1, 1;\ntrap;\nret;");
  k.steps(1, 0b110);
  try {
    k.step(0b110);
    FAIL() << "trap must be reported";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), KernelFault::trap);
    EXPECT_THAT(error.what(), HasSubstr("kernel 'k', block (0, 0, 0), thread (1, 0, 0), PTX line 6: "));
  }
}

TEST(Core, RefusesInTheNameOfItsOwner) {
  Options options;
  options.executor = "the loom";
  SteppedKernel k(".reg .b64 %rd<2>; ld.param.u64 %rd1, [p];\ncp.async.bulk.commit_group;\nret;", 32, options);
  k.step(1);
  try {
    k.step(1);
    FAIL() << "bulk copies are not executed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_THAT(error.what(), HasSubstr("the loom does not execute 'cp.async.bulk.commit_group'"));
  }
}

TEST(Core, TellsTheObserverOfEachLaneThatRan) {
  std::vector<std::uint32_t> seen;
  Options options;
  options.step = [&](const Step& step) {
    seen.push_back(step.thread);
    EXPECT_EQ(step.registers[0].lo, step.thread);
    EXPECT_EQ(step.depth, 1u);
  };
  SteppedKernel k(".reg .b32 %r<2>; mov.u32 %r1, %laneid; ret;", 32, options);
  k.step(0b10010);
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{1, 4}));
}

}  // namespace
}  // namespace heddle::device::machine
