// Convergence barriers of independent thread scheduling, exactly, and what thread block compaction makes of two warps.
#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "device/machine/stepped_kernel.hpp"
#include "device/sim/kernel_run.hpp"
#include "device/sim/policies/convergence/barriers.hpp"

namespace heddle::device::sim {
namespace {

using machine::SteppedKernel;

// Runs a kernel of one warp to its end. Its instructions `mov.u32 %m, N` mark basic blocks: 1 is A, 2 is B.
class Traced {
 public:
  Traced(const std::string& body, unsigned threads)
      : kernel_(".reg .u32 %m, %t, %i, %n; .reg .pred %p, %q;\nmov.u32 %t, %tid.x;\n" + body, threads),
        timing_(kernel_.kernel().program(), {}),
        barriers_(kernel_.block->warps[0].lanes, (1u << threads) - 1, timing_, counts) {}

  std::string run() {
    while (step()) most = std::max(most, barriers_.barriers().size());
    return trace;
  }
  ConvergenceBarriers& barriers() { return barriers_; }
  bool step() {
    const auto* const split = barriers_.current();
    if (!split) return false;
    const auto& inst = split->at.code->function->body[split->at.pc];
    if (inst.opcode == ptx::Opcode::mov && inst.operands[1].kind == ptx::OperandKind::integer &&
        split->at.code->function->registers[inst.operands[0].index].name == "%m") {
      trace += trace.empty() ? "" : " ";
      trace += static_cast<char>('A' + inst.operands[1].value - 1) + std::to_string(std::popcount(split->mask));
    }
    kernel_.step(split->mask);
    barriers_.retire(kernel_.effects.branched);
    return true;
  }

  std::string trace;
  std::size_t most = 0;  // barriers at a time
  PolicyCounts counts;

 private:
  SteppedKernel kernel_;
  ProgramTiming timing_;
  ConvergenceBarriers barriers_;
};

// Dynamic Warp Formation, figure 4: threads meet where the stack brings them together, in the same order.
TEST(Convergence, GoldenTraceOfFigure4) {
  Traced traced(R"(
  mov.u32 %m, 1;
  setp.ne.u32 %p, %t, 0;
  @%p bra B;
F:
  mov.u32 %m, 6;
  bra.uni G;
B:
  mov.u32 %m, 2;
  setp.eq.u32 %q, %t, 3;
  @%q bra C;
D:
  mov.u32 %m, 4;
  bra.uni E;
C:
  mov.u32 %m, 3;
E:
  mov.u32 %m, 5;
G:
  mov.u32 %m, 7;
  ret;)",
                4);
  EXPECT_EQ(traced.run(), "A4 B3 C1 D2 E3 F1 G4");
  EXPECT_EQ(traced.most, 2u);
  EXPECT_EQ(traced.counts[PolicyEvent::joined], 2u);
}

// Thread t turns t + 1 times: one barrier covers the loop, however often threads leave it.
TEST(Convergence, ALoopHasOneBarrier) {
  Traced traced(R"(
  mov.u32 %i, 0;
B:
  mov.u32 %m, 2;
  setp.lt.u32 %p, %i, %t;
  add.u32 %i, %i, 1;
  @%p bra B;
C:
  mov.u32 %m, 3;
  ret;)",
                4);
  EXPECT_EQ(traced.run(), "B4 B3 B2 B1 C4");
  EXPECT_EQ(traced.most, 1u);
}

TEST(Convergence, ThreadsThatExitAreNotWaitedFor) {
  EXPECT_EQ(Traced(R"(
  setp.eq.u32 %p, %t, 2;
  @%p bra X;
  mov.u32 %m, 2;
  bra.uni J;
X:
  exit;
J:
  mov.u32 %m, 3;
  ret;)",
                   4)
                .run(),
            "B3 C3");
}

// A split that only repeats itself gives way: to others, and then to those that wait for it at a join.
TEST(Convergence, WhoWaitsAtAJoinForASpinningSplitGoesOn) {
  Traced traced(R"(
  setp.eq.u32 %p, %t, 0;
W:
  @!%p bra W;
  mov.u32 %m, 3;
  ret;)",
                2);
  for (int i = 0; i < 4; ++i) traced.step();
  ASSERT_EQ(traced.trace, "");  // thread 0 waits at the join, thread 1 turns
  EXPECT_EQ(traced.barriers().barriers().size(), 1u);
  EXPECT_TRUE(traced.barriers().yield());
  EXPECT_EQ(traced.barriers().barriers().size(), 0u);
  traced.step();
  EXPECT_EQ(traced.trace, "C1");
}

// Half of each of two warps goes one way, lanes of the other half in the other warp: as many threads as one warp has.
constexpr const char* halves = R"(
shr.u32 %r0, %t, 4;
shr.u32 %r1, %t, 5;
xor.b32 %r0, %r0, %r1;
and.b32 %r0, %r0, 1;
setp.eq.u32 %c, %r0, 0;
@%c bra B;
add.u32 %r2, %r2, 1;
add.u32 %r2, %r2, 1;
add.u32 %r2, %r2, 1;
add.u32 %r2, %r2, 1;
bra.uni E;
B:
add.u32 %r2, %r2, 2;
add.u32 %r2, %r2, 2;
add.u32 %r2, %r2, 2;
add.u32 %r2, %r2, 2;
bra.uni E;
E:
)";

TEST(Compaction, TwoHalfWarpsAreOne) {
  const KernelShape shape{.threads = 64, .blocks = 1, .words = 64};
  const KernelRun stack = run_kernel("dwf-g80,lanes=identity", std::string("mov.u32 %r2, 0;\n") + halves, shape),
                  block = run_kernel("dwf-g80,divergence=tbc,lanes=identity", std::string("mov.u32 %r2, 0;\n") + halves,
                                     shape);
  // Each side is 5 instructions, twice on the stack.
  EXPECT_EQ(stack.figures.sm.warp_instructions - block.figures.sm.warp_instructions, 10u);
  EXPECT_EQ(stack.figures.sm.thread_instructions, block.figures.sm.thread_instructions);
  EXPECT_EQ(block.figures.sm.policy[PolicyEvent::compacted], 4u);  // a warp for each side; two behind the join
}

// The same lanes of both warps: a thread keeps its lane, and nothing is won.
TEST(Compaction, ThreadsOfOneLaneDoNotShareAWarp) {
  const std::string same =
      "mov.u32 %r2, 0;\nand.b32 %r0, %t, 31;\nsetp.lt.u32 %c, %r0, 16;\n@%c bra B;\n"
      "add.u32 %r2, %r2, 1;\nbra.uni E;\nB:\nadd.u32 %r2, %r2, 2;\nE:\n";
  const KernelShape shape{.threads = 64, .blocks = 1, .words = 64};
  const KernelRun stack = run_kernel("dwf-g80,lanes=identity", same, shape),
                  block = run_kernel("dwf-g80,divergence=tbc,lanes=identity", same, shape);
  EXPECT_EQ(stack.figures.sm.warp_instructions, block.figures.sm.warp_instructions);
}

}  // namespace
}  // namespace heddle::device::sim
