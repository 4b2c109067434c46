// How operands are read: cycles of instructions whose registers are in one bank and in several, with collectors and
// without, on machines made for the test and on presets.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "bench.hpp"

namespace heddle::device::sim {
namespace {

// One SM with one scheduler that issues an FMA a cycle, whose registers are in four banks by their numbers.
MachineDescription four_banks() {
  MachineDescription m = one_sm(preset("fermi-c2050"));
  m.front.schedulers = m.front.issue_interval = 1;
  m.front.register_banks = 4;
  m.front.bank_ports = m.front.bank_interval = m.front.operand_window = 1;
  m.front.collectors = 0;
  m.front.bank_swizzle = m.front.operand_reuse = false;
  m.front.banks_by_number = true;
  m.pipes.fma = {.count = 1, .latency = 12, .interval = 1};
  m.policies.scheduler = "lrr";
  return m;
}

// The bench's kernels name %p, %q and %t first; then come %f0 to %f31.
std::string named() {
  std::string text;
  for (unsigned i = 0; i < 32; ++i) text += "mov.f32 %f" + std::to_string(i) + ", 0f3F800000;\n";
  return text;
}

// An FMA of three registers of which so many are in one bank of four.
std::string fma(unsigned ways) {
  const char* const sources[] = {"%f0, %f1, %f2", "%f0, %f4, %f1", "%f0, %f4, %f8"};
  return std::string("fma.rn.f32 %f2#, ") + sources[ways - 1] + ";";
}

constexpr unsigned warps = 16;

// Cycles of an instruction of all warps.
double cycles(const MachineDescription& m, const std::string& line, unsigned of_warps = warps) {
  Bench bench(m);
  return step(bench, {.body = named(), .threads = of_warps * 32}, line, 64, 192, 8);
}

TEST(Operands, OfOneBankTakeAsManyCyclesAsThereAre) {
  for (const unsigned ways : {1u, 2u, 3u}) {
    const double wanted = warps * ways;
    EXPECT_NEAR(cycles(four_banks(), fma(ways)), wanted, 0.02 * wanted) << ways;
  }
}

// The next instruction's reads begin when the one before it is not late any more: two ports are both busy only where
// the window lets reads of two instructions overlap.
TEST(Operands, OfABankWithTwoPortsTakeHalfOfIt) {
  MachineDescription m = four_banks();
  m.front.bank_ports = 2;
  EXPECT_NEAR(cycles(m, fma(3)), 2 * warps, 0.02 * 2 * warps);
  m.front.operand_window = 2;
  const double wanted[] = {warps, warps, 1.5 * warps};
  for (const unsigned ways : {1u, 2u, 3u})
    EXPECT_NEAR(cycles(m, fma(ways)), wanted[ways - 1], 0.02 * wanted[ways - 1]) << ways;
}

TEST(Operands, OfASlowBankTakeItsInterval) {
  MachineDescription m = four_banks();
  m.front.bank_interval = m.front.operand_window = 3;
  for (const unsigned ways : {1u, 2u, 3u}) {
    const double wanted = 3.0 * warps * ways;
    EXPECT_NEAR(cycles(m, fma(ways)), wanted, 0.02 * wanted) << ways;
  }
}

// A chain of one warp waits for the reads beyond the window, and for nothing else.
TEST(Operands, WithinTheWindowCostNoLatency) {
  for (const unsigned window : {1u, 2u, 3u}) {
    MachineDescription m = four_banks();
    m.front.operand_window = window;
    const char* const chains[] = {"fma.rn.f32 %f0, %f0, %f1, %f2;", "fma.rn.f32 %f0, %f0, %f4, %f1;",
                                  "fma.rn.f32 %f0, %f0, %f4, %f8;"};
    for (unsigned ways = 1; ways <= 3; ++ways)
      EXPECT_EQ(cycles(m, chains[ways - 1], 1), m.pipes.fma.latency + (ways > window ? ways - window : 0))
          << window << " " << ways;
  }
}

TEST(Operands, OfSixtyFourBitsAreTwoWords) {
  MachineDescription m = four_banks();
  m.pipes.fp64 = m.pipes.fma;
  Bench bench(m);
  const std::string body = "fma.rn.f64 %d0, %d1, %d2, %d3;\n";  // pairs that begin in banks 3, 0 and 1
  const auto reads = [&](unsigned count) { return bench.run({.body = repeated(count, body)}).sm.operands.reads; };
  EXPECT_EQ(reads(30) - reads(10), 20u * 6);
  EXPECT_EQ(cycles(m, "fma.rn.f64 %d4, %d1, %d2, %d3;", 1), m.pipes.fp64.latency + 1);
}

// Instructions wait in collectors while others go on: banks are the limit, or the collectors.
TEST(Operands, WaitInCollectors) {
  MachineDescription m = four_banks();
  m.front.collectors = 32;
  EXPECT_NEAR(cycles(m, fma(3)), 3 * warps, 0.02 * 3 * warps);  // all warps read the same bank
  m.front.bank_swizzle = true;                                  // now each its own
  EXPECT_NEAR(cycles(m, fma(3)), warps, 0.02 * warps);
  m.front.collectors = 1;  // an instruction has it for three cycles
  EXPECT_NEAR(cycles(m, fma(3)), 3 * warps, 0.02 * 3 * warps);
  EXPECT_NEAR(cycles(m, fma(1)), warps, 0.02 * warps);
}

// One warp that reads the same registers again gets them from the cache; warps in turn take its places.
TEST(Operands, AreReusedByTheSameWarp) {
  MachineDescription m = four_banks();
  m.pipes.fma.latency = 4;
  EXPECT_NEAR(cycles(m, fma(3), 1), 3, 0.06);
  m.front.operand_reuse = true;
  EXPECT_NEAR(cycles(m, fma(3), 1), 1, 0.02);
  EXPECT_NEAR(cycles(m, fma(3)), 3 * warps, 0.02 * 3 * warps);
  // A register that is written is read anew.
  Bench bench(m);
  const auto counts = [&](unsigned count) {
    return bench.run({.body = named() + repeated(count, "fma.rn.f32 %f0, %f0, %f4, %f8;")}).sm.operands;
  };
  EXPECT_EQ(counts(30).reads - counts(10).reads, 20u);
  EXPECT_EQ(counts(30).reused - counts(10).reused, 40u);
}

// A compiler puts what is read together into different banks: the same code has no conflicts.
TEST(Operands, AreInDifferentBanksWhereACompilerAssignsThem) {
  MachineDescription m = four_banks();
  m.front.banks_by_number = false;
  EXPECT_NEAR(cycles(m, fma(3)), warps, 0.02 * warps);
  Bench bench(m);
  EXPECT_EQ(bench.run({.body = named() + repeated(64, fma(3), 8)}).sm.operands.late_cycles, 0u);
}

// The cycles of a machine that reads no banks are those of one whose operands never meet.
TEST(Operands, CostNothingWithoutConflicts) {
  MachineDescription m = four_banks();
  const double with = cycles(m, fma(1));
  m.front.register_banks = 0;
  EXPECT_EQ(cycles(m, fma(1)), with);
}

// Huerta et al. (MICRO 2025), section 5.3: two operands in one bank cost a cycle, three cost two.
TEST(Hopper, HasTheBubblesOfThePaper) {
  MachineDescription m = one_sm(preset("hopper-h100"));
  m.front.banks_by_number = true;
  m.policies.scheduler = "lrr";
  const unsigned each = warps / m.front.schedulers;
  const auto expect = [&](const std::string& line, double wanted) {
    EXPECT_NEAR(cycles(m, line), each * wanted, 0.02 * each * wanted) << line;
  };
  expect("mul.rn.f32 %f2#, %f0, %f1;", 1);
  expect("mul.rn.f32 %f2#, %f0, %f2;", 2);
  expect("fma.rn.f32 %f2#, %f0, %f2, %f4;", 3);
}

// Lai and Seznec (CGO 2013): two operands in one bank halve the rate, three take it to a third.
TEST(Kepler, HasTheRatesOfThePaper) {
  MachineDescription m = one_sm(preset("kepler-gtx680"));
  m.front.banks_by_number = true;
  m.policies.scheduler = "lrr";
  const unsigned each = 2 * warps / m.front.schedulers;
  for (const unsigned ways : {2u, 3u})
    EXPECT_NEAR(cycles(m, fma(ways), 2 * warps), each * ways, 0.02 * each * ways) << ways;
}

// Formed warps of threads of several static warps: with a decoder for each lane they read as static warps do.
TEST(FormedWarps, ReadTheRegistersOfTheirOwnThreads) {
  const auto figures = [](bool decoders, bool swizzle) {
    MachineDescription m = one_sm(preset("dwf-g80"));
    m.policies.divergence = "dwf";
    m.front.register_banks = 4;
    m.front.lane_decoders = decoders;
    m.front.bank_swizzle = swizzle;
    Bench bench(m);
    // Even threads go one way, which are in even lanes of even warps and in odd lanes of odd ones: they join.
    return bench
        .run({.body = "and.b32 %r0, %t, 1;\nsetp.eq.u32 %c, %r0, 0;\n@%c bra L;\n" +
                      repeated(20, "mad.lo.u32 %r1, %r1, %r2, %r3;") + "bra M;\nL:\n" +
                      repeated(20, "mad.lo.u32 %r4, %r5, %r6, %r7;") + "M:\n",
              .threads = 256})
        .sm;
  };
  const SmStatistics lanes = figures(true, false), rows = figures(false, false), both = figures(true, true);
  EXPECT_GT(lanes.policy[PolicyEvent::merged], 0u);
  EXPECT_GT(rows.operands.reads, lanes.operands.reads + lanes.operands.reads / 4);
  EXPECT_GT(rows.operands.late_cycles, lanes.operands.late_cycles);
  EXPECT_GE(both.operands.reads, lanes.operands.reads);
  EXPECT_EQ(rows.thread_instructions, lanes.thread_instructions);
}

}  // namespace
}  // namespace heddle::device::sim
