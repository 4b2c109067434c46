// Persistent blocks: the loop around a kernel, and kernels that cannot be in one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ptx/parser.hpp"
#include "ptx/printer.hpp"
#include "ptx/rewrite/block_ranges.hpp"
#include "ptx/verifier.hpp"

namespace heddle::ptx {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Pool {
  std::string text, refusal;  // of the module; why there is none
  RangeEntry entry;
};

Pool pool_of(const std::string& body, const std::string& directives = "", const RangeOptions& options = {},
             const std::string& before = "", const std::string& version = "8.0") {
  const Module module = parse(
      ".version " + version + "\n.target sm_90a\n.address_size 64\n" + before + ".visible .entry k(.param .u64 out)" +
          directives + "\n{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n.shared .align 8 .b8 s[64];\n" +
          body + "ret;\n}\n",
      "test.ptx");
  const RangeForm form = RangeForm::pool;
  const RangeModule ranges = add_range_entries(module, std::span(&form, 1), options);
  for (const Finding& finding : find_problems(ranges.module)) ADD_FAILURE() << finding.message;
  Pool pool;
  pool.text = print(ranges.module);
  pool.text = pool.text.substr(std::min(pool.text.size(), pool.text.find("k__heddle_pool")));
  if (!ranges.refusals.empty()) pool.refusal = ranges.refusals[0].reason;
  if (!ranges.entries.empty()) pool.entry = ranges.entries[0];
  EXPECT_EQ(ranges.entries.size() + ranges.refusals.size(), 1u);
  return pool;
}

TEST(BlockRangesPool, EndsOfTheKernelLeadToTheNextBlock) {
  const Pool pool = pool_of("setp.eq.u32 %p1, %r1, 0;\n@%p1 exit;\n@!%p1 ret;\nmov.u32 %r1, %ctaid.x;\n");
  EXPECT_EQ(pool.refusal, "");
  EXPECT_THAT(pool.text, HasSubstr("@%p1 bra $heddle_0;"));
  EXPECT_THAT(pool.text, HasSubstr("@!%p1 bra $heddle_0;"));
  EXPECT_THAT(pool.text, Not(HasSubstr("ret;")));
}

TEST(BlockRangesPool, ItsBarrierIsOneThatTheKernelDoesNotUse) {
  EXPECT_THAT(pool_of("").text, HasSubstr("bar.sync 0;"));
  EXPECT_THAT(pool_of("bar.sync 0;\nbarrier.sync 2;\n").text, HasSubstr("bar.sync 1;"));
  const std::string called = ".func f()\n{\nbar.sync 1;\nret;\n}\n";
  EXPECT_THAT(pool_of("bar.sync 0;\ncall.uni f;\n", "", {}, called).text, HasSubstr("bar.sync 2;"));
  std::string all;
  for (int i = 0; i < 16; ++i) all += "bar.sync " + std::to_string(i) + ";\n";
  EXPECT_THAT(pool_of(all).refusal, HasSubstr("all sixteen barriers"));
  EXPECT_THAT(pool_of("bar.sync %r1;\n").refusal, HasSubstr("number is not known"));
}

// Where lanes come to the end one after another, bar.sync would be wrong.
TEST(BlockRangesPool, LanesThatComeOneAfterAnotherGetTheOtherBarrier) {
  const std::string parts = "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 exit;\nst.shared.u32 [s], %r1;\n";
  EXPECT_THAT(pool_of(parts).text, HasSubstr("barrier.sync 0;"));
  EXPECT_THAT(pool_of("bar.sync 0;\n" + parts).text, HasSubstr("barrier.sync 1;"));
  EXPECT_THAT(pool_of("bar.sync 0;\nmov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 exit;\n").text,
              HasSubstr("\tbar.sync 1;"));
  EXPECT_THAT(pool_of(parts, "", {}, "", "7.8").text, HasSubstr("barrier.sync 0;"));
}

TEST(BlockRangesPool, ThreadsThatLeaveMayNotBeWaitedFor) {
  const std::string part = "mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 40;\n", leave = part + "@%p1 exit;\n";
  EXPECT_THAT(pool_of(leave + "bar.sync 0;\n").refusal,
              HasSubstr("bar.sync in line 13 of k may wait for threads of the block that have gone on"));
  EXPECT_THAT(pool_of(leave + "bar.warp.sync 0xffffffff;\n").refusal, HasSubstr("bar.warp.sync in line 13"));
  EXPECT_THAT(pool_of(leave + "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;\n").refusal, HasSubstr("shfl.sync.idx.b32"));
  EXPECT_THAT(pool_of(leave + "vote.sync.ballot.b32 %r2, %p1, -1;\n").refusal, HasSubstr("vote.sync"));
  EXPECT_THAT(pool_of(leave + "call.uni f;\n", "", {}, ".func f()\n{\nbar.sync 0;\nret;\n}\n").refusal,
              HasSubstr("call.uni"));
  // They meet before the barrier.
  EXPECT_EQ(pool_of(part + "@%p1 bra $M;\nst.shared.u32 [s], %r1;\n$M: bar.sync 0;\n").refusal, "");
  // In a loop, the threads that are done would be at the end.
  EXPECT_THAT(
      pool_of("mov.u32 %r1, %tid.x;\n$L: bar.sync 0;\nsub.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra $L;\n")
          .refusal,
      HasSubstr("bar.sync in line 11"));
  // All leave, or none.
  EXPECT_EQ(pool_of("mov.u32 %r1, %ctaid.x;\nsetp.gt.u32 %p1, %r1, 40;\n@%p1 exit;\nbar.sync 0;\n").refusal, "");
  // How many come is said: warps that have left are not among them, but parts of warps are.
  EXPECT_THAT(pool_of(leave + "bar.sync 0, 64;\n").refusal, HasSubstr("bar.sync"));
  const std::string warps = "mov.u32 %r1, %tid.x;\nand.b32 %r1, %r1, -32;\nsetp.gt.u32 %p1, %r1, 40;\n@%p1 exit;\n";
  EXPECT_EQ(pool_of(warps + "bar.sync 0, 64;\n").refusal, "");
  EXPECT_THAT(pool_of(warps + "bar.sync 0;\n").refusal, HasSubstr("bar.sync"));
  // Threads that end the whole launch are waited for by nobody.
  EXPECT_EQ(pool_of(part + "@!%p1 bra $G;\ntrap;\n$G: bar.sync 0;\n").refusal, "");
}

// Which lanes are one warp depends on the shape of the block.
TEST(BlockRangesPool, WarpsThatGoDifferentWaysNeedKnownWarps) {
  const std::string warps =
      "mov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 5;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 exit;\n"
      "shfl.sync.idx.b32 %r3, %r1, 0, 31, -1;\n";
  EXPECT_TRUE(pool_of(warps).entry.warps_are_rows);
  EXPECT_EQ(pool_of(warps).refusal, "");
  EXPECT_FALSE(pool_of(warps, "\n.reqntid 128").entry.warps_are_rows);
  EXPECT_EQ(pool_of(warps, "\n.maxntid 256, 1, 1").refusal, "");
  EXPECT_THAT(pool_of(warps, "\n.reqntid 48, 2, 1").refusal, HasSubstr("shfl.sync"));
  EXPECT_FALSE(pool_of("mov.u32 %r1, %tid.x;\nshfl.sync.idx.b32 %r3, %r1, 0, 31, -1;\n").entry.warps_are_rows);
}

TEST(BlockRangesPool, WhatABlockWouldLeaveToTheNextIsRefused) {
  EXPECT_THAT(pool_of("alloca.u64 %d1, 16;\n").refusal, HasSubstr("alloca.u64 in line 10"));
  EXPECT_THAT(pool_of("mbarrier.init.shared.b64 [s], 1;\n").refusal, HasSubstr("may not be set up twice"));
  EXPECT_THAT(pool_of("setmaxnreg.dec.sync.aligned.u32 40;\n").refusal, HasSubstr("how many registers"));
  EXPECT_THAT(pool_of("wgmma.fence.sync.aligned;\n").refusal, HasSubstr("under way"));
  EXPECT_THAT(pool_of("bar.arrive 1, 64;\n").refusal, HasSubstr("leave a barrier"));
  EXPECT_THAT(pool_of("call.uni f;\n", "", {}, ".func f()\n{\nexit;\n}\n").refusal,
              HasSubstr("from within a function"));
  EXPECT_THAT(pool_of("", "", {}, ".shared .b8 most[49100];\n").refusal, HasSubstr("no room"));
}

TEST(BlockRangesPool, CopiesUnderWayAreWaitedFor) {
  const Pool pool = pool_of("ld.param.u64 %d1, [out];\ncp.async.ca.shared.global [s], [%d1], 4;\n");
  EXPECT_LT(pool.text.find("cp.async.wait_all;"), pool.text.find("bar.sync"));
  const Pool bulk = pool_of("ld.param.u64 %d1, [out];\ncp.async.bulk.global.shared::cta.bulk_group [%d1], [s], 16;\n");
  EXPECT_LT(bulk.text.find("cp.async.bulk.wait_group 0;"), bulk.text.find("bar.sync"));
  EXPECT_THAT(pool_of("").text, Not(HasSubstr("cp.async")));
}

TEST(BlockRangesPool, OldVersionsLackTheBarrier) {
  const std::string parts = "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 exit;\nst.shared.u32 [s], %r1;\n";
  const auto refusal = [](const std::string& body) {
    const Module module = parse(
        ".version 5.0\n.target sm_60\n.address_size 64\n.visible .entry k()\n{\n"
        ".reg .pred %p<3>;\n.reg .b32 %r<3>;\n.shared .b32 s;\n" +
            body + "ret;\n}\n",
        "test.ptx");
    const RangeForm form = RangeForm::pool;
    const RangeModule ranges = add_range_entries(module, std::span(&form, 1));
    return ranges.refusals.empty() ? "" : ranges.refusals[0].reason;
  };
  EXPECT_THAT(refusal(parts), HasSubstr("PTX 6.0"));
  EXPECT_EQ(refusal(""), "");
}

TEST(BlockRangesPool, AMaskOfProcessorsIsOptional) {
  EXPECT_THAT(pool_of("").text, Not(HasSubstr("%smid")));
  const Pool pool = pool_of("", "", {.processor_mask = true});
  EXPECT_TRUE(pool.entry.has_processor_mask);
  EXPECT_THAT(pool.text, HasSubstr("%smid"));
}

// 32-bit addresses.
TEST(BlockRangesPool, AddressesHaveTheSizeOfTheModule) {
  const Module module = parse(
      ".version 7.0\n.target sm_75\n.address_size 32\n.visible .entry k(.param .u32 out)\n{\n.reg .b32 %r<3>;\n"
      "mov.u32 %r1, %ctaid.x;\nret;\n}\n",
      "test.ptx");
  const RangeForm form = RangeForm::pool;
  const RangeModule ranges = add_range_entries(module, std::span(&form, 1), {.processor_mask = true});
  EXPECT_TRUE(find_problems(ranges.module).empty());
  ASSERT_EQ(ranges.entries.size(), 1u);
  EXPECT_EQ(ranges.entries[0].hidden[1], (HiddenParameter{HiddenValue::control, 8, 4}));
}

}  // namespace
}  // namespace heddle::ptx
