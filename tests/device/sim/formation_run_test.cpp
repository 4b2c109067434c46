// Kernels under dynamic warp formation, on the machine of its paper: rows of its checklist that need whole runs.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "device/sim/kernel_run.hpp"

namespace heddle::device::sim {
namespace {

const std::string dwf = "dwf-g80,divergence=dwf";

std::string added(unsigned count, unsigned value) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) text += "add.u32 %r2, %r2, " + std::to_string(value) + ";\n";
  return text;
}

// Each thread stores what it has counted in %r2.
const std::string store = "mul.wide.u32 %q, %i, 4;\nadd.u64 %q, %p, %q;\nst.global.u32 [%q], %r2;\n";

// In each turn even and odd threads have work of their own.
const std::string even_and_odd =
    "mov.u32 %r2, 0;\nmov.u32 %r3, 0;\nand.b32 %r0, %t, 1;\nsetp.eq.u32 %c, %r0, 0;\nL:\n"
    "@%c bra B;\n" +
    added(6, 1) + "bra.uni J;\nB:\n" + added(6, 2) +
    "J:\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %d, %r3, 20;\n@%d bra L;\n" + store;

// The side that a thread takes changes with each turn, by bits of a random word.
const std::string random_sides =
    "mov.u32 %r2, 0;\nmov.u32 %r3, 0;\nmad.lo.u32 %r4, %i, 747796405, 2891336453;\nL:\n"
    "mad.lo.u32 %r4, %r4, 1664525, 1013904223;\nsetp.lt.s32 %c, %r4, 0;\n@%c bra B;\n" +
    added(7, 1) + "bra.uni J;\nB:\n" + added(7, 2) +
    "J:\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %d, %r3, 16;\n@%d bra L;\n" + store;

const KernelShape core{.threads = 768, .blocks = 1, .words = 1024};

// D7.
TEST(FormedWarps, SwizzlingBringsEvenAndOddThreadsTogether) {
  const double stack = run_kernel("dwf-g80", even_and_odd, core).figures.simd_efficiency();
  const double plain = run_kernel(dwf + ",lanes=identity", even_and_odd, core).figures.simd_efficiency();
  const double swizzled = run_kernel(dwf + ",lanes=swizzle", even_and_odd, core).figures.simd_efficiency();
  EXPECT_LT(plain, 1.05 * stack);
  EXPECT_GT(swizzled, 1.5 * stack);
}

// D8, and (a) and (b) of section 2.0.
TEST(FormedWarps, FiveOrdersGiveTheSameResultsInTheirOwnTimes) {
  const KernelRun stack = run_kernel("dwf-g80", random_sides, core);
  std::set<std::uint64_t> cycles;
  for (const char* order : {"majority", "minority", "timestamp", "pc", "pdom-priority"}) {
    const KernelRun ran = run_kernel(dwf + ",lanes=swizzle,formation=" + order, random_sides, core);
    EXPECT_EQ(ran.words, stack.words) << order;
    EXPECT_EQ(ran.figures.sm.thread_instructions, stack.figures.sm.thread_instructions) << order;
    cycles.insert(ran.figures.cycles());
  }
  EXPECT_EQ(cycles.size(), 5u);
}

// D9: ports of the heap cost time, and many of them none.
TEST(FormedWarps, PortsOfTheHeapCostTime) {
  const auto cycles = [&](const char* ports) {
    const KernelRun ran = run_kernel(dwf + ",lanes=swizzle,heap-ports=" + ports, random_sides, core);
    EXPECT_EQ(ran.words, run_kernel("dwf-g80", random_sides, core).words);
    return ran.figures.cycles();
  };
  const auto one = cycles("1"), two = cycles("2"), many = cycles("64");
  EXPECT_GT(one, many);
  EXPECT_LE(two, one);
}

// D10: registers of any lane, the thread's own lane, any lane with conflicts of banks.
TEST(FormedWarps, RegisterFilesInTheirOrder) {
  const auto cycles = [&](const char* file) {
    return static_cast<double>(
        run_kernel(dwf + ",lanes=swizzle,register-file=" + file, random_sides, core).figures.cycles());
  };
  EXPECT_LT(cycles("ideal"), 1.02 * cycles("lane-aware"));
  EXPECT_LT(cycles("lane-aware"), cycles("crossbar"));
}

// D4: the bound is a bound, where memory is ideal.
TEST(FormedWarps, NoPolicyIsFasterThanMimd) {
  const auto cycles = [&](const char* divergence) {
    return static_cast<double>(
        run_kernel(std::string("dwf-g80,memory=ideal,divergence=") + divergence, random_sides, core).figures.cycles());
  };
  const double bound = cycles("mimd");
  for (const char* divergence : {"pdom", "nrec", "tf", "dwf", "its", "tbc"})
    EXPECT_LT(bound, 1.01 * cycles(divergence)) << divergence;
}

// D4: also where all threads use shared memory, whose words a slot's threads read and write together.
TEST(FormedWarps, SharedMemoryDoesNotBreakTheBound) {
  const std::string body =
      "mov.u32 %r2, 0;\nmov.u32 %r3, 0;\nand.b32 %r0, %t, 255;\nshl.b32 %r0, %r0, 2;\nmov.u32 %r1, s;\n"
      "add.u32 %r0, %r0, %r1;\nL:\nst.shared.u32 [%r0], %r3;\nld.shared.u32 %r4, [%r0];\n"
      "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %d, %r3, 16;\n@%d bra L;\n" +
      store;
  const auto cycles = [&](const std::string& divergence) {
    return static_cast<double>(run_kernel("dwf-g80,divergence=" + divergence, body, core).figures.cycles());
  };
  EXPECT_LT(cycles("mimd"), 1.05 * cycles("pdom"));
}

// DH2: a loop with a branch inside, which a few threads leave in each turn. They have passed fewer joins than the
// others, so that pdom-priority lets them go first, in warps of a few threads; with majority they wait for the others.
TEST(FormedWarps, PdomPriorityLosesWhereThreadsLeaveALoopEarly) {
  const std::string nested =
      "mov.u32 %r2, 0;\nmov.u32 %r3, 0;\nmad.lo.u32 %r4, %i, 747796405, 2891336453;\nL:\n"
      "mad.lo.u32 %r4, %r4, 1664525, 1013904223;\nsetp.lt.s32 %c, %r4, 0;\n@%c bra B;\n" +
      added(3, 1) + "bra.uni J;\nB:\n" + added(3, 2) +
      "J:\nadd.u32 %r3, %r3, 1;\nshr.u32 %r5, %r4, 12;\nand.b32 %r5, %r5, 511;\nsetp.eq.u32 %d, %r5, 0;\n"
      "@%d bra X;\nsetp.lt.u32 %d, %r3, 96;\n@%d bra L;\nX:\n" +
      added(600, 3) + store;
  const KernelRun majority = run_kernel(dwf + ",lanes=swizzle,formation=majority", nested, core);
  const KernelRun priority = run_kernel(dwf + ",lanes=swizzle,formation=pdom-priority", nested, core);
  EXPECT_EQ(majority.words, run_kernel("dwf-g80", nested, core).words);
  EXPECT_EQ(priority.words, majority.words);
  EXPECT_GT(static_cast<double>(priority.figures.cycles()), 1.2 * static_cast<double>(majority.figures.cycles()));
}

// Groups of 8 threads take the same side.
std::string sides_of_eight() {
  std::string text = even_and_odd;
  return text.replace(text.find("and.b32 %r0, %t, 1;"), 19, "and.b32 %r0, %t, 8;");
}

// D17: warps of 8 and 16 threads do the same as those of 32, and occupy the lanes for less time. Those of 8 do not part
// where groups of 8 threads do.
TEST(FormedWarps, NarrowWarpsLoseFewerLanes) {
  const KernelRun wide = run_kernel("dwf-g80", sides_of_eight(), core);
  EXPECT_LT(wide.figures.simd_efficiency(), 0.8);
  for (const char* width : {"8", "16"}) {
    const KernelRun stack = run_kernel(std::string("dwf-g80,warp-width=") + width, sides_of_eight(), core);
    const KernelRun formed = run_kernel(dwf + ",lanes=swizzle,pool=1024,warp-width=" + width, sides_of_eight(), core);
    EXPECT_EQ(stack.words, wide.words) << width;
    EXPECT_EQ(formed.words, wide.words) << width;
    EXPECT_EQ(stack.figures.sm.thread_instructions, wide.figures.sm.thread_instructions) << width;
    EXPECT_EQ(formed.figures.sm.thread_instructions, wide.figures.sm.thread_instructions) << width;
    const bool parts = std::string(width) == "16";
    EXPECT_NEAR(stack.figures.simd_efficiency(), parts ? wide.figures.simd_efficiency() : 1, 0.01) << width;
    EXPECT_LT(stack.figures.cycles(), (parts ? 1.01 : 0.8) * static_cast<double>(wide.figures.cycles())) << width;
  }
}

// Section 2.6, granularity: the 8 lanes of the register file are read four times for a warp of 32. Threads of warps in
// which the same side of 16 threads goes on can share one.
TEST(FormedWarps, ThreadsOfOneHomeShareAWarpInTurns) {
  const std::string halves = sides_of_eight();
  const auto efficiency = [&](const std::string& options) {
    return run_kernel(dwf + ",lanes=identity" + options, halves, core).figures.simd_efficiency();
  };
  const double strict = efficiency(",home-lanes=32");
  EXPECT_LT(strict, 1.05 * run_kernel("dwf-g80", halves, core).figures.simd_efficiency());
  EXPECT_GT(efficiency(""), 1.5 * strict) << "as many as the machine has lanes: 8";
  EXPECT_EQ(efficiency(""), efficiency(",home-lanes=8"));
}

std::string ways(unsigned count) {
  std::string text = "mov.u32 %r2, 0;\nrem.u32 %r0, %t, " + std::to_string(count) + ";\nts: .branchtargets ";
  for (unsigned i = 0; i < count; ++i) text += (i != 0 ? ", L" : "L") + std::to_string(i);
  text += ";\nbrx.idx %r0, ts;\n";
  for (unsigned i = 0; i < count; ++i)
    text += "L" + std::to_string(i) + ":\nadd.u32 %r2, %r2, " + std::to_string(i + 1) + ";\nbra.uni Z;\n";
  return text + "Z:\n" + store;
}

// D11: 32 places and a pool of 8.
TEST(FormedWarps, WhatThePoolCannotHoldComesBackFromTheQueue) {
  const KernelRun small = run_kernel(dwf + ",pool=8", ways(32), core), stack = run_kernel("dwf-g80", ways(32), core);
  EXPECT_EQ(small.words, stack.words);
  EXPECT_GT(small.figures.sm.policy[PolicyEvent::spilled], 0u);
  EXPECT_EQ(small.figures.sm.policy[PolicyEvent::spilled], small.figures.sm.policy[PolicyEvent::refilled]);
}

// D12: two places in a turn of the scheduler, so that a branch to k of them takes k / 2 turns.
TEST(FormedWarps, BranchesToManyPlacesTakeTurns) {
  const KernelShape warp{.threads = 32, .blocks = 1, .words = 1024};
  const auto insertions = [&](unsigned count) {
    const KernelRun ran = run_kernel(dwf, ways(count), warp);
    EXPECT_EQ(ran.words, run_kernel("dwf-g80", ways(count), warp).words);
    return ran.figures.sm.policy[PolicyEvent::insertions];
  };
  EXPECT_GE(insertions(16), insertions(2) + 14);
}

// D13: all threads of a core at a barrier a thousand times.
TEST(FormedWarps, AThousandBarriers) {
  const std::string body =
      "mov.u32 %r2, 0;\nmov.u32 %r3, 0;\nand.b32 %r0, %t, 3;\nL:\nsetp.eq.u32 %c, %r0, 0;\n"
      "@%c add.u32 %r2, %r2, 1;\nbar.sync 0;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %d, %r3, 1000;\n"
      "@%d bra L;\n" +
      store;
  for (const char* divergence : {"dwf", "tbc", "its"}) {
    const KernelRun ran = run_kernel(std::string("dwf-g80,divergence=") + divergence, body, core);
    for (unsigned i = 0; i < 768; ++i) ASSERT_EQ(ran.words[i], i % 4 == 0 ? 1000u : 0u) << divergence;
  }
}

// D14: a scan of a warp by shuffles, of threads that have parted before it.
TEST(FormedWarps, ShufflesAreThoseOfTheWarpsOfPtx) {
  std::string body =
      "and.b32 %r0, %t, 1;\nmov.u32 %r2, 1;\nsetp.eq.u32 %c, %r0, 0;\n@%c bra E;\n" + added(3, 1) + "E:\n";
  for (unsigned distance = 1; distance < 32; distance *= 2)
    body += "shfl.sync.up.b32 %r4|%c, %r2, " + std::to_string(distance) + ", 0, -1;\n@%c add.u32 %r2, %r2, %r4;\n";
  body += store;
  const KernelRun stack = run_kernel("dwf-g80", body, core);
  for (const char* divergence : {"dwf", "tbc", "its", "tf", "nrec", "mimd"})
    EXPECT_EQ(run_kernel(std::string("dwf-g80,divergence=") + divergence, body, core).words, stack.words) << divergence;
  EXPECT_EQ(stack.words[31], 16u * 1 + 16u * 4);
}

// D14: a scan of old code, whose lanes read in shared memory what others have just written, with no `.sync` between.
// Where warps keep their threads it is right. Formed warps bring threads of other places together, so that it is not:
// nothing mends it, and `--check=race` finds it in the source (tests/check/faulty/race_shared_warp_exchange.cu).
TEST(FormedWarps, ScansWithoutSynchronisationAreWrong) {
  std::string body =
      "and.b32 %r0, %t, 31;\nand.b32 %r2, %t, 3;\nsetp.eq.u32 %c, %r2, 0;\nand.b32 %r1, %t, 255;\n"
      "mul.lo.u32 %r1, %r1, 4;\nmov.u32 %r3, s;\nadd.u32 %r1, %r1, %r3;\n@%c bra E;\n" +
      added(3, 1) + "E:\nst.volatile.shared.u32 [%r1], %r2;\n";
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const std::string d = std::to_string(distance);
    body += "setp.lt.u32 %c, %r0, " + d + ";\n@%c bra S" + d + ";\nld.volatile.shared.u32 %r4, [%r1-" +
            std::to_string(4 * distance) + "];\nadd.u32 %r2, %r2, %r4;\nst.volatile.shared.u32 [%r1], %r2;\nS" + d +
            ":\n";
  }
  body += store;
  const KernelShape some{.threads = 256, .blocks = 1, .words = 1024};
  const auto wrong = [&](const std::string& machine) {
    const KernelRun ran = run_kernel(machine, body, some);
    unsigned count = 0, sum = 0;
    for (unsigned i = 0; i < some.threads; ++i) {
      sum = (i % 32 == 0 ? 0 : sum) + (i % 4 == 0 ? 0 : i % 4 + 3);
      count += ran.words[i] != sum ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(wrong("dwf-g80"), 0u);
  EXPECT_EQ(wrong("dwf-g80,divergence=tf"), 0u);
  EXPECT_GT(wrong(dwf + ",formation=majority"), 0u);
  EXPECT_GT(wrong("dwf-g80,divergence=nrec"), 0u);
}

// DH1: a rare short branch of two or three random threads of each warp, again and again. Majority leaves these behind:
// they come in warps of few threads when the others have ended.
TEST(FormedWarps, MajorityLeavesThreadsOfRareBranchesBehind) {
  const std::string rare =
      "mov.u32 %r2, 0;\nmov.u32 %r3, 0;\nmad.lo.u32 %r4, %i, 747796405, 2891336453;\nL:\n"
      "mad.lo.u32 %r4, %r4, 1664525, 1013904223;\nshr.u32 %r5, %r4, 20;\nand.b32 %r5, %r5, 15;\n"
      "setp.eq.u32 %c, %r5, 0;\n@%c bra B;\nJ:\n" +
      added(12, 1) + "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %d, %r3, 60;\n@%d bra L;\n" + store + "ret;\nB:\n" +
      added(2, 5) + "bra.uni J;\n";
  const KernelRun stack = run_kernel("dwf-g80", rare, core);
  const auto of = [&](const char* formation) {
    const KernelRun ran = run_kernel(dwf + ",lanes=swizzle,formation=" + formation, rare, core);
    EXPECT_EQ(ran.words, stack.words);
    return ran.figures;
  };
  const KernelStatistics majority = of("majority"), priority = of("pdom-priority");
  EXPECT_GT(majority.cycles(), priority.cycles());
  EXPECT_GT(majority.cycles(), stack.figures.cycles());
  EXPECT_LT(majority.simd_efficiency(), priority.simd_efficiency());
}

// D16: formed warps coalesce no better than those that the kernel was written for.
TEST(FormedWarps, MakeMoreTransactions) {
  std::string body = random_sides;
  body.insert(body.find("bra.uni J;"), "mul.wide.u32 %q, %i, 4;\nadd.u64 %q, %p, %q;\nld.global.u32 %r7, [%q];\n");
  const auto of = [&](const std::string& machine) {
    return run_kernel(machine, body, core).figures.memory.sm.transactions_per_access();
  };
  EXPECT_GT(of(dwf), of("dwf-g80"));
}

}  // namespace
}  // namespace heddle::device::sim
