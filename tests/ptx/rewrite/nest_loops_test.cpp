// Loops that share a head, made loops one inside the other.
#include "ptx/rewrite/nest_loops.hpp"

#include <gtest/gtest.h>

#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/parser.hpp"
#include "ptx/printer.hpp"

namespace heddle::ptx {
namespace {

struct Nested {
  Module module;
  std::size_t loops_before = 0, loops_after = 0;
};

Nested nest(const std::string& body) {
  Nested result;
  result.module = parse(
      ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 n)\n{\n.reg .pred %p<4>;\n"
      ".reg .b32 %r<8>;\nld.param.u32 %r1, [n];\nmov.u32 %r2, 0;\nmov.u32 %r3, %tid.x;\n" +
          body + "ret;\n}\n",
      "test.ptx");
  Function& function = result.module.functions[0];
  result.loops_before = analysis::ControlFlowGraph(function, &result.module).loops().size();
  function = nest_loops(function, result.module);
  result.loops_after = analysis::ControlFlowGraph(function, &result.module).loops().size();
  return result;
}

// for (...) do ... while (lanes differ): the inner loop gets a head of its own, and its branch leads there.
TEST(NestLoops, AnInnerLoopGetsAHeadOfItsOwn) {
  const Nested nested = nest(
      "$HEAD:\n"
      "mad.lo.u32 %r3, %r3, 1664525, 1013904223;\n"
      "setp.gt.u32 %p1, %r3, 9999;\n"
      "@%p1 bra $HEAD;\n"
      "add.u32 %r2, %r2, 1;\n"
      "setp.lt.u32 %p2, %r2, %r1;\n"
      "@%p2 bra $HEAD;\n");
  EXPECT_EQ(nested.loops_before, 1u);
  EXPECT_EQ(nested.loops_after, 2u) << print(nested.module);
  const std::string text = print(nested.module);
  EXPECT_NE(text.find("@%p1 bra $inner"), std::string::npos) << text;
  EXPECT_NE(text.find("@%p2 bra $HEAD"), std::string::npos) << text;
}

TEST(NestLoops, ThreeOnOneHeadBecomeThree) {
  const Nested nested = nest(
      "$HEAD:\n"
      "add.u32 %r3, %r3, 7;\n"
      "and.b32 %r4, %r3, 15;\n"
      "setp.gt.u32 %p1, %r4, 3;\n"
      "@%p1 bra $HEAD;\n"
      "add.u32 %r5, %r5, 1;\n"
      "setp.lt.u32 %p2, %r5, 4;\n"
      "@%p2 bra $HEAD;\n"
      "mov.u32 %r5, 0;\n"
      "add.u32 %r2, %r2, 1;\n"
      "setp.lt.u32 %p3, %r2, %r1;\n"
      "@%p3 bra $HEAD;\n");
  EXPECT_EQ(nested.loops_after, 3u) << print(nested.module);
}

// while (...) { if (...) continue; ...; }: those who skip the rest of a turn meet the others at the head, and nowhere
// before. One loop it stays.
TEST(NestLoops, ContinueMakesNoLoop) {
  const std::string body =
      "$HEAD:\n"
      "add.u32 %r2, %r2, 1;\n"
      "setp.gt.u32 %p1, %r2, %r1;\n"
      "@%p1 bra $END;\n"
      "and.b32 %r4, %r2, %r3;\n"
      "setp.eq.u32 %p2, %r4, 0;\n"
      "@%p2 bra $HEAD;\n"
      "add.u32 %r5, %r5, %r4;\n"
      "bra $HEAD;\n"
      "$END:\n";
  const Nested nested = nest(body);
  EXPECT_EQ(nested.loops_before, 1u);
  EXPECT_EQ(nested.loops_after, 1u) << print(nested.module);
}

// One back edge alone, or two loops with heads of their own: nothing to do.
TEST(NestLoops, OtherLoopsStayAsTheyAre) {
  const std::string body =
      "$OUTER:\n"
      "mov.u32 %r4, 0;\n"
      "$INNER:\n"
      "add.u32 %r4, %r4, 1;\n"
      "setp.lt.u32 %p1, %r4, %r3;\n"
      "@%p1 bra $INNER;\n"
      "add.u32 %r2, %r2, 1;\n"
      "setp.lt.u32 %p2, %r2, %r1;\n"
      "@%p2 bra $OUTER;\n";
  const Nested nested = nest(body);
  EXPECT_EQ(nested.loops_before, 2u);
  EXPECT_EQ(nested.loops_after, 2u);
  EXPECT_EQ(print(nested.module).find("$inner"), std::string::npos);
}

}  // namespace
}  // namespace heddle::ptx
