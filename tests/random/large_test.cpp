// Kernels so large that the CPU device compiles them in pieces give the same there as on the interpreter.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>

#include "random/comparison.hpp"

namespace heddle::test::random_kernel {
namespace {

// %rd2 is the place of the thread in `out`, %rd3 that in `in`, of 1024 elements; %r2 is what it computes.
std::string kernel(const std::string& body, unsigned block = 64) {
  return fmt::format(
             "//: launch k grid 3 block {0}\n//: arg out u32[{1}] = fill 0\n//: arg in u32[2048] = bits 5\n"
             "//: expect out same-as interp\n.version 8.0\n.target sm_80\n.address_size 64\n",
             block, 3 * block) +
         ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<16>;\n"
         ".reg .b64 %rd<8>;\n.shared .align 4 .b8 s[1024];\n"
         "ld.param.u64 %rd1, [out];\nld.param.u64 %rd3, [in];\nmov.u32 %r1, %tid.x;\nmov.u32 %r3, %ctaid.x;\n"
         "mov.u32 %r4, %ntid.x;\nmad.lo.u32 %r5, %r3, %r4, %r1;\nmul.wide.u32 %rd2, %r5, 4;\n"
         "add.u64 %rd2, %rd2, %rd1;\nmul.wide.u32 %rd4, %r5, 4;\nadd.u64 %rd3, %rd3, %rd4;\n"
         "ld.global.u32 %r2, [%rd3];\n" +
         body + "st.global.u32 [%rd2], %r2;\nret;\n}\n";
}

std::string branches(int count, const std::string& other = "") {
  std::string body;
  for (int i = 0; i < count; ++i)
    body += fmt::format(
        "ld.global.u32 %r6, [%rd3+{1}];\nxor.b32 %r7, %r6, %r2;\nand.b32 %r7, %r7, {2};\nsetp.eq.u32 %p1, %r7, 0;\n"
        "@%p1 bra T{0};\nadd.u32 %r2, %r2, %r6;\nbra J{0};\nT{0}:\nmad.lo.u32 %r2, %r2, 5, {0};\nJ{0}:\n{3}",
        i, 4 * (i % 1024), 1 << i % 5, other);
  return body;
}

void expect_equal(const std::string& text) {
  const Comparison comparison = compare_with_interp(text, run_on_cpu);
  EXPECT_EQ(comparison.verdict, Verdict::equal) << name(comparison.verdict) << ": " << comparison.text;
}

TEST(LargeKernels, Block) {
  std::string body;
  for (int i = 0; i < 6000; ++i) body += fmt::format("mad.lo.u32 %r2, %r2, %r1, {};\n", i);
  expect_equal(kernel(body));
  expect_equal(kernel(body, 1));
}

// The frames of so many values of 32 lanes are larger than usual stacks.
TEST(LargeKernels, DivergentBranches) { expect_equal(kernel(branches(1000))); }

TEST(LargeKernels, BranchesInLoop) {
  expect_equal(kernel("and.b32 %r8, %r2, 3;\nL:\n" + branches(300) +
                      "add.u32 %r8, %r8, -1;\nsetp.gt.s32 %p2, %r8, 0;\n@%p2 bra L;\n"));
}

TEST(LargeKernels, LoopsInARow) {
  std::string body;
  for (int i = 0; i < 250; ++i)
    body += fmt::format(
        "and.b32 %r6, %r2, 3;\nL{0}:\nmad.lo.u32 %r2, %r2, 7, %r6;\nadd.u32 %r6, %r6, -1;\n"
        "setp.gt.s32 %p1, %r6, 0;\n@%p1 bra L{0};\n",
        i);
  expect_equal(kernel(body));
}

// Warps wait in the middle of pieces.
TEST(LargeKernels, Barriers) {
  expect_equal(
      kernel("mov.u32 %r9, s;\nmad.lo.u32 %r9, %r1, 4, %r9;\nxor.b32 %r10, %r1, 37;\nmov.u32 %r11, s;\n"
             "mad.lo.u32 %r11, %r10, 4, %r11;\n" +
             branches(200,
                      "st.shared.u32 [%r9], %r2;\nbar.sync 0;\nld.shared.u32 %r12, [%r11];\n"
                      "bar.sync 0;\nadd.u32 %r2, %r2, %r12;\n")));
}

// Threads that leave, in the middle of everything.
TEST(LargeKernels, EarlyExits) {
  std::string body;
  for (int i = 0; i < 600; ++i)
    body += fmt::format(
        "ld.global.u32 %r6, [%rd3+{0}];\nmad.lo.u32 %r2, %r2, 3, %r6;\nst.global.u32 [%rd2], %r2;\n"
        "and.b32 %r7, %r2, 255;\nsetp.eq.u32 %p1, %r7, 0;\n@%p1 exit;\n",
        4 * i);
  expect_equal(kernel(body));
}

// Neither analyses nor the compiler can follow branches in all directions in time; they make no wrong assumption.
TEST(LargeKernels, Tangle) {
  constexpr int labels = 300;
  std::string body = "mov.u32 %r8, 0;\n";
  for (int i = 0; i < labels; ++i)
    body += fmt::format(
        "L{0}:\nadd.u32 %r8, %r8, 1;\nsetp.gt.u32 %p2, %r8, 2000;\n@%p2 bra E;\nmad.lo.u32 %r2, %r2, 5, {0};\n"
        "and.b32 %r7, %r2, 7;\nsetp.eq.u32 %p1, %r7, 3;\n@%p1 bra L{1};\n",
        i, i * 7919 % labels);
  expect_equal(kernel(body + "E:\n"));
}

}  // namespace
}  // namespace heddle::test::random_kernel
