// Which lanes a stack of post-dominators runs in which order, exactly.
#include "device/sim/policies/pdom_stack.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "device/machine/stepped_kernel.hpp"

namespace heddle::device::sim {
namespace {

using machine::SteppedKernel;

// Runs a kernel of one warp to its end. Its instructions `mov.u32 %m, N` mark basic blocks: 1 is A, 2 is B.
class Traced {
 public:
  Traced(const std::string& body, unsigned threads)
      : kernel_(".reg .u32 %m, %t, %i, %n; .reg .pred %p, %q;\nmov.u32 %t, %tid.x;\n" + body, threads),
        timing_(kernel_.kernel().program(), {}),
        stack_(kernel_.block->warps[0].lanes, threads == 32 ? ~0u : (1u << threads) - 1, timing_) {}

  // One instruction. Returns false when all threads have exited.
  bool step() {
    const PdomStack::Entry* entry = stack_.current();
    if (!entry) return false;
    const auto& inst = entry->next.code->function->body[entry->next.pc];
    if (inst.opcode == ptx::Opcode::mov && inst.operands[1].kind == ptx::OperandKind::integer &&
        entry->next.code->function->registers[inst.operands[0].index].name == "%m") {
      trace += trace.empty() ? "" : " ";
      trace += static_cast<char>('A' + inst.operands[1].value - 1) + std::to_string(std::popcount(entry->mask));
    }
    kernel_.step(entry->mask);
    stack_.retire(kernel_.effects.branched, kernel_.effects.exited);
    return true;
  }
  std::string run() {
    while (step()) {
    }
    return trace;
  }
  // "G:1111 F:0001>G", from the bottom: next place, mask by lane from the highest, where they meet again.
  std::string stack() const {
    std::string text;
    for (const PdomStack::Entry& entry : stack_.entries()) {
      text += text.empty() ? "" : " ";
      text += letter(entry.next) + ":";
      for (int lane = 3; lane >= 0; --lane) text += (entry.mask >> lane) & 1 ? '1' : '0';
      if (entry.reconverge.code) text += ">" + letter(entry.reconverge);
    }
    return text;
  }

  std::string trace;

 private:
  // The label at or before the place.
  static std::string letter(const Place& place) {
    std::string name = "A";
    for (const auto& label : place.code->function->labels)
      if (label.position <= place.pc) name = label.name;
    return name.substr(0, 1);
  }
  SteppedKernel kernel_;
  ProgramTiming timing_;
  PdomStack stack_;
};

// Dynamic Warp Formation, figure 4: A 1111 -> B 1110, F 0001; B -> C 1000, D 0110; C, D -> E; E, F -> G.
constexpr const char* figure_4 = R"(
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
  ret;)";

TEST(PdomStack, GoldenTraceOfFigure4) { EXPECT_EQ(Traced(figure_4, 4).run(), "A4 B3 C1 D2 E3 F1 G4"); }

TEST(PdomStack, StacksOfFigure4) {
  Traced traced(figure_4, 4);
  while (traced.trace != "A4 B3") traced.step();
  traced.step();  // setp
  EXPECT_EQ(traced.stack(), "G:1111 F:0001>G B:1110>G");
  traced.step();  // the branch
  EXPECT_EQ(traced.stack(), "G:1111 F:0001>G E:1110>G D:0110>E C:1000>E");
}

// Thread t turns t + 1 times: the others wait behind the loop, and the stack does not grow.
TEST(PdomStack, LoopsWaitForTheLastLane) {
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
  std::size_t deepest = 0;
  while (traced.step()) deepest = std::max(deepest, traced.stack().size());
  EXPECT_EQ(traced.trace, "B4 B3 B2 B1 C4");
  EXPECT_LE(deepest, std::string("C:1111 C:0001>C B:1110>C").size());
}

TEST(PdomStack, NestedLoopsAndIfs) {
  EXPECT_EQ(Traced(R"(
  mov.u32 %i, 0;
B:
  mov.u32 %m, 2;
  and.b32 %n, %t, 1;
  setp.eq.u32 %p, %n, %i;
  @%p bra C;
  mov.u32 %m, 4;
  bra.uni E;
C:
  mov.u32 %m, 3;
E:
  mov.u32 %m, 5;
  add.u32 %i, %i, 1;
  setp.lt.u32 %q, %i, 2;
  @%q bra B;
  mov.u32 %m, 7;
  ret;)",
                   4)
                .run(),
            "B4 C2 D2 E4 B4 C2 D2 E4 G4");
}

// Two entries into the loop of B and C (irreducible): the lanes meet where both lead, at C.
TEST(PdomStack, IrreducibleFlowMeetsAtItsPostDominator) {
  EXPECT_EQ(Traced(R"(
  mov.u32 %i, 0;
  setp.ge.u32 %p, %t, 2;
  @%p bra C;
B:
  mov.u32 %m, 2;
  add.u32 %i, %i, 1;
C:
  mov.u32 %m, 3;
  add.u32 %i, %i, 1;
  setp.lt.u32 %q, %i, 3;
  @%q bra B;
  mov.u32 %m, 4;
  ret;)",
                   4)
                .run(),
            "B2 C4 B4 C4 D4");
}

// Some threads leave the kernel within a branch: the others run on, and do not wait for them.
TEST(PdomStack, ExitsWithinBranches) {
  EXPECT_EQ(Traced(R"(
  mov.u32 %m, 1;
  setp.lt.u32 %p, %t, 3;
  @%p bra C;
  mov.u32 %m, 2;
  ret;
C:
  mov.u32 %m, 3;
  setp.eq.u32 %q, %t, 0;
  @%q exit;
  mov.u32 %m, 4;
  ret;)",
                   4)
                .run(),
            "A4 C3 D2 B1");
}

// Lanes that wait at an operation of the warp let those run that they wait for.
TEST(PdomStack, WaitingLanesLetOthersRun) {
  SteppedKernel k(R"(
  .reg .u32 %t; .reg .pred %p;
  mov.u32 %t, %tid.x;
  setp.lt.u32 %p, %t, 16;
  @%p bra low;
  bar.warp.sync 0xffffffff;
  ret;
low:
  bar.warp.sync 0xffffffff;
  ret;)");
  ProgramTiming timing(k.kernel().program(), {});
  PdomStack stack(k.block->warps[0].lanes, ~0u, timing);
  for (int i = 0; i < 3; ++i) {
    k.step(stack.current()->mask);
    stack.retire(k.effects.branched, k.effects.exited);
  }
  EXPECT_EQ(stack.current()->mask, 0xffffu);
  k.step(0xffff);
  for (unsigned lane = 0; lane < 16; ++lane) k.block->threads[lane].state = machine::ThreadState::meeting;
  stack.retire(0, 0);
  ASSERT_NE(stack.current(), nullptr);
  EXPECT_EQ(stack.current()->mask, 0xffff0000u);
}

}  // namespace
}  // namespace heddle::device::sim
