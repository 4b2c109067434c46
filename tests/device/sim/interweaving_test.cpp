// What branch and warp interweaving gain, and where they cannot gain anything (Simultaneous Branch and Warp
// Interweaving, SH1 and SH2), and the scoreboard that knows slots instead of threads.
#include <gtest/gtest.h>

#include <string>

#include "device/sim/kernel_run.hpp"
#include "device/sim/policies/resources.hpp"
#include "device/sim/scoreboard.hpp"

namespace heddle::device::sim {
namespace {

std::string operations(unsigned count, const char* reg) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += std::string("mad.lo.u32 ") + reg + ", " + reg + ", 3, " + std::to_string(i) + ";\n";
  return text;
}

// A loop in which half of each warp has `a` operations, and the other half `b`.
std::string sides(unsigned a, unsigned b) {
  return "mov.u32 %r5, 0;\nmov.u32 %r6, %t;\nmov.u32 %r7, %t;\nand.b32 %r0, %t, 1;\nsetp.eq.u32 %c, %r0, 0;\nL:\n"
         "@%c bra B;\n" +
         operations(a, "%r6") + "bra.uni J;\nB:\n" + operations(b, "%r6") +
         "J:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %d, %r5, 12;\n@%d bra L;\n";
}

double cycles(const std::string& policies, const std::string& body) {
  const KernelShape shape{.threads = 256, .blocks = 4, .words = 64};
  return static_cast<double>(run_kernel("sbi-fermi,memory=ideal" + policies, body, shape).figures.cycles());
}

// SH1: two sides of the same length share their cycles; one side alone has nothing to share them with.
TEST(Interweaving, BranchesGainByTheShorterSide) {
  double last = 0;
  for (const unsigned b : {0u, 8u, 16u, 24u}) {
    const std::string body = sides(24, b);
    const double gain = cycles(",issue=wide", body) / cycles(",issue=sbi,slot2=same-warp", body);
    EXPECT_GT(gain, last - 0.05) << b;
    EXPECT_TRUE(b != 0 || gain < 1.1) << gain;
    EXPECT_TRUE(b != 24 || gain > 1.5) << gain;
    last = gain;
  }
}

// SH1: without a second side, other warps still fit: lanes of odd warps are the others'.
TEST(Interweaving, WarpsGainWithoutASecondSide) {
  const std::string body = sides(24, 0);
  const double wide = cycles(",issue=wide", body);
  EXPECT_GT(wide / cycles(",issue=swi,lanes=xor", body), 1.25);
}

// SH2: lane 0 of each warp works ten times as much. Only where lanes are shuffled do these threads fit each other.
TEST(Interweaving, CorrelatedImbalanceNeedsShuffledLanes) {
  const std::string body =
      "mov.u32 %r6, %t;\nand.b32 %r0, %t, 63;\nmov.u32 %r5, 4;\nsetp.eq.u32 %c, %r0, 0;\n"
      "@%c mov.u32 %r5, 40;\nL:\n" +
      operations(8, "%r6") + "sub.u32 %r5, %r5, 1;\nsetp.ne.u32 %d, %r5, 0;\n@%d bra L;\n";
  const auto same_row = [&](const std::string& lanes) {
    const KernelShape shape{.threads = 256, .blocks = 4, .words = 64};
    const KernelRun ran = run_kernel("sbi-fermi,memory=ideal,issue=swi,lanes=" + lanes, body, shape);
    return ran.figures.sm.policy[PolicyEvent::same_row];
  };
  EXPECT_EQ(same_row("identity"), 0u);
  EXPECT_GT(same_row("xor-rev"), 100u);
  EXPECT_LT(cycles(",issue=swi,lanes=xor-rev", body), cycles(",issue=swi,lanes=identity", body));
}

// S7: the matrix sees every dependence that threads have (an error otherwise), and some that none has.
TEST(Interweaving, TheMatrixScoreboardIsConservative) {
  for (const char* issue : {"sbi", "swi", "sbi+swi"}) {
    const std::string policies = std::string("sbi-fermi,issue=") + issue;
    const KernelShape shape{.threads = 256, .blocks = 4, .words = 64};
    const KernelRun exact = run_kernel(policies, sides(5, 9), shape),
                    matrix = run_kernel(policies + ",scoreboard=matrix", sides(5, 9), shape);
    EXPECT_EQ(exact.words, matrix.words);
    EXPECT_EQ(exact.figures.sm.policy[PolicyEvent::false_dependences], 0u);
    EXPECT_GE(matrix.figures.cycles() * 100, exact.figures.cycles() * 98);
  }
}

// S10: with one warp both schedulers have the same to choose from. What both have chosen executes once.
TEST(Interweaving, WhatBothSchedulersChooseExecutesOnce) {
  const KernelShape one{.threads = 64, .blocks = 1, .words = 64};
  const std::string body = "mov.u32 %r6, %t;\nmov.u32 %r7, %t;\n" + operations(8, "%r6") + operations(8, "%r7") +
                           "xor.b32 %r6, %r6, %r7;\nmul.wide.u32 %q, %i, 4;\nadd.u64 %q, %p, %q;\n"
                           "st.global.u32 [%q], %r6;\n";
  const KernelRun stack = run_kernel("sbi-fermi", body, one), swi = run_kernel("sbi-fermi,issue=swi", body, one);
  EXPECT_EQ(swi.words, stack.words);
  EXPECT_EQ(swi.figures.sm.thread_instructions, stack.figures.sm.thread_instructions);
  EXPECT_GT(swi.figures.sm.policy[PolicyEvent::conflicts], 0u);
}

// S13: the second slot has other contexts of the first one's warp, and such of others.
TEST(Interweaving, BothKindsOfCandidatesIssue) {
  const KernelShape shape{.threads = 256, .blocks = 4, .words = 64};
  const KernelRun both = run_kernel("sbi-fermi,issue=sbi+swi,lanes=xor-rev", sides(9, 5), shape);
  EXPECT_GT(both.figures.sm.policy[PolicyEvent::same_warp], 0u);
  EXPECT_GT(both.figures.sm.policy[PolicyEvent::secondary], both.figures.sm.policy[PolicyEvent::same_warp]);
}

// The bound of lane maps: the second instruction may use any lanes of which enough are free.
TEST(Interweaving, AnyLanesAreABoundForLaneMaps) {
  const std::string body =
      "mov.u32 %r6, %t;\nand.b32 %r0, %t, 63;\nmov.u32 %r5, 4;\nsetp.eq.u32 %c, %r0, 0;\n@%c mov.u32 %r5, 40;\nL:\n" +
      operations(8, "%r6") + "sub.u32 %r5, %r5, 1;\nsetp.ne.u32 %d, %r5, 0;\n@%d bra L;\n";
  const double any = cycles(",issue=swi,lanes=identity,fit=any", body);
  EXPECT_LT(any, 0.98 * cycles(",issue=swi,lanes=identity", body));
  EXPECT_LT(any, 1.02 * cycles(",issue=swi,lanes=xor-rev", body));
}

// 2.1: the oldest is the instruction that has waited for longest, so that warps of the same work go on together; with
// the oldest warp first some are far ahead.
TEST(Interweaving, TheOldestInstructionIsNotTheOldestWarps) {
  const std::string body = sides(24, 8);
  EXPECT_NE(cycles(",issue=sbi", body), cycles(",issue=sbi,scheduler=oldest", body));
  EXPECT_NE(cycles("", body), cycles(",scheduler=oldest", body));
}

// S8: a chain of one warp takes longer by the cycles that two schedulers and the delivery add to each instruction. An
// instruction executes for 8 cycles, and one that depends on it is chosen when it has retired (table 2, section 2).
TEST(Interweaving, AChainIsSlowerByTheSecondScheduler) {
  const std::string chain = operations(64, "%r6");
  const KernelShape one{.threads = 64, .blocks = 1, .words = 64};
  const auto of = [&](const std::string& policies) {
    return run_kernel("sbi-fermi,memory=ideal" + policies, "mov.u32 %r6, %t;\n" + chain, one).figures.cycles() -
           run_kernel("sbi-fermi,memory=ideal" + policies, "mov.u32 %r6, %t;\n", one).figures.cycles();
  };
  const auto stack = of(""), wide = of(",issue=wide"), sbi = of(",issue=sbi"), swi = of(",issue=swi");
  EXPECT_EQ(stack, 9u * 64);
  EXPECT_EQ(wide, 9u * 64);
  EXPECT_EQ(sbi - wide, 64u);      // delivery
  EXPECT_EQ(swi - wide, 2u * 64);  // delivery, and the second scheduler
}

// 3.4: an entry of the scoreboard has registers of both instructions that a warp issues in a cycle.
TEST(Interweaving, AnEntryHoldsBothInstructionsOfACycle) {
  Scoreboard board;
  for (unsigned slot = 0; slot < 2; ++slot)
    for (const Cycle issued : {10u, 11u})
      board.add(slot, ~LaneMask{0}, issued + 5 + 2 * slot, Scoreboard::no_access, issued, slot);
  EXPECT_EQ(board.room(4, false).ready, 15u);  // four entries, of which the first one is free then
  EXPECT_EQ(board.room(3, true).ready, 0u);    // two entries
  EXPECT_EQ(board.room(2, true).ready, 17u);   // which are free when both of their instructions are done
  board.add(7, ~LaneMask{0}, 12, Scoreboard::no_access, 11, 1);  // a second register of one instruction
  EXPECT_EQ(board.room(3, true).ready, 12u);
}

// An entry holds one instruction, however many passes of the memory serve its threads.
TEST(Interweaving, PassesOfAnInstructionAreOneEntry) {
  Scoreboard board;
  for (unsigned pass = 0; pass < 3; ++pass) board.add(1, LaneMask{1} << pass, 15 + pass, Scoreboard::no_access, 10, 0);
  EXPECT_EQ(board.room(2, true).ready, 0u);
  EXPECT_EQ(board.room(1, true).ready, 17u);  // when the last pass is done
  EXPECT_EQ(board.room(1, false).ready, 17u);
  board.add(2, ~LaneMask{0}, 20, Scoreboard::no_access, 10, 1);  // of the same cycle
  EXPECT_EQ(board.room(2, true).ready, 0u);
  EXPECT_EQ(board.room(1, true).ready, 20u);
}

// A warp of 32 threads loads words of as many lines as `lines` into the L1. Then a chain follows, `again` behind
// another load of the same words, which the chain does not need.
std::string load_of_lines(unsigned lines, bool again) {
  return "mov.u32 %r8, %t;\nand.b32 %r0, %t, " + std::to_string(lines - 1) +
         ";\nmul.wide.u32 %q, %r0, 128;\nadd.u64 %q, %p, %q;\nld.global.u32 %r5, [%q];\nadd.u32 %r6, %r5, 1;\n" +
         (again ? "ld.global.u32 %r7, [%q];\n" : "") + operations(8, "%r8");
}

// 2: a warp's next instruction is behind the replays of the one before.
TEST(Interweaving, AWarpWaitsForItsReplays) {
  const KernelShape one{.threads = 32, .blocks = 1, .words = 1024};
  for (const char* policies : {"sbi-fermi", "sbi-fermi,divergence=tf", "sbi-fermi,issue=wide", "sbi-fermi,issue=swi",
                               "sbi-fermi,issue=sbi,memory-splits=off"}) {
    const auto load = [&](unsigned lines) {
      return run_kernel(policies, load_of_lines(lines, true), one).figures.cycles() -
             run_kernel(policies, load_of_lines(lines, false), one).figures.cycles();
    };
    EXPECT_EQ(load(16) - load(1), 15u) << policies;
  }
}

// 3.4: threads that memory serves first go on with the next instruction, and meet the others at the one that waits.
TEST(Interweaving, ThreadsPartWhereMemoryServesSomeFirst) {
  const KernelShape one{.threads = 32, .blocks = 1, .words = 1024};
  for (const char* issue : {"sbi", "sbi+swi"}) {
    const auto of = [&](const std::string& splits, unsigned lines) {
      return run_kernel("sbi-fermi,issue=" + std::string(issue) + ",memory-splits=" + splits,
                        load_of_lines(lines, true), one);
    };
    const KernelRun on = of("on", 4), off = of("off", 4);
    EXPECT_EQ(on.words, off.words);
    EXPECT_EQ(on.figures.sm.thread_instructions, off.figures.sm.thread_instructions);
    EXPECT_EQ(off.figures.sm.policy[PolicyEvent::replays], 2u * 3);
    EXPECT_EQ(on.figures.sm.policy[PolicyEvent::replays], 2u * 3);
    // The chain needs no load: the threads of each pass execute its first instruction, and meet at the second one.
    EXPECT_EQ(on.figures.sm.warp_instructions, off.figures.sm.warp_instructions + 3);
    EXPECT_EQ(of("on", 1).figures.sm.warp_instructions, off.figures.sm.warp_instructions);
  }
}

// 2: memory instructions that meet conflicts issue again for the transactions that remain, in slots of their scheduler.
TEST(Interweaving, ConflictsTakeIssueSlots) {
  const KernelShape shape{.threads = 256, .blocks = 4, .words = 64};
  const auto of = [&](const std::string& policies, unsigned ways) {
    const std::string loads = "mov.u32 %r6, %t;\nmov.u32 %r5, 0;\nmul.lo.u32 %r1, %t, " + std::to_string(4 * ways) +
                              ";\nand.b32 %r1, %r1, 1023;\nmov.u32 %r0, s;\nadd.u32 %r1, %r1, %r0;\nL:\n" +
                              "ld.shared.u32 %r7, [%r1];\n" + operations(16, "%r6") +
                              "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %d, %r5, 8;\n@%d bra L;\n";
    return run_kernel("sbi-fermi" + policies, loads, shape).figures;
  };
  for (const char* policies : {"", ",issue=wide", ",issue=sbi", ",issue=swi", ",issue=sbi+swi"}) {
    const KernelStatistics none = of(policies, 1), some = of(policies, 4);
    const std::uint64_t replays = some.sm.policy[PolicyEvent::replays];
    EXPECT_EQ(none.sm.policy[PolicyEvent::replays], 0u);
    EXPECT_EQ(replays, 32u * 8 * 3) << policies;  // warps, turns, passes beyond the first
    EXPECT_EQ(some.sm.uses[static_cast<unsigned>(SlotUse::issue)], some.sm.warp_instructions + replays) << policies;
  }
  // Both schedulers of the stack are never without an instruction, so that each replay is one instruction less.
  const double longer = static_cast<double>(of("", 4).cycles()) - static_cast<double>(of("", 1).cycles());
  EXPECT_NEAR(longer, 32 * 8 * 3 / 2.0, 40);
}

// SH4: what is compared has as many lanes and threads, and fetches as many instructions.
TEST(Interweaving, ComparedMachinesHaveEqualResources) {
  const auto of = [](const std::string& text) { return resources_of(parse_sim_options("sim:" + text).machine); };
  const SmResources base = of("sbi-fermi");
  EXPECT_EQ(base.instructions, 2u);
  EXPECT_EQ(base.fma, 64);
  for (const char* issue : {"sbi", "swi", "sbi+swi"}) EXPECT_EQ(of(std::string("sbi-fermi,issue=") + issue), base);
  EXPECT_NE(of("sbi-fermi,issue=wide"), base);  // one instruction of 64 threads
  EXPECT_NE(of("dwf-g80"), base);
}

}  // namespace
}  // namespace heddle::device::sim
