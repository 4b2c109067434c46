#include "ptx/analysis/access/block_reach.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ptx/parser.hpp"

namespace heddle::ptx::analysis {
namespace {

// A kernel of pointers p and q and a number n; `body` begins with i = ctaid.x * ntid.x + tid.x in %r1, 4 * i in %rd3, p
// in %rd1 and q in %rd2.
std::vector<BlockReach> reach_of(const std::string& body) {
  const Module module = parse(R"(.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n) {
  .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f32 %f<9>;
  ld.param.u64 %rd1, [p];
  ld.param.u64 %rd2, [q];
  cvta.to.global.u64 %rd1, %rd1;
  ld.param.u32 %r9, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r1, %r2, %r3, %r4;
  mul.wide.s32 %rd3, %r1, 4;
)" + body + "\n  ret;\n}\n",
                              "k.ptx");
  return find_block_reach(module, 0);
}

// "[begin,end)" for blocks [2, 5) of 10 blocks of 32 threads.
std::string text(const BlockReach& reach, Dim3 grid = {10}, Dim3 block = {32}, BlockRange range = {2, 5},
                 std::optional<std::int64_t> n = {}) {
  const std::optional<std::int64_t> numbers[] = {{}, {}, n};
  const auto bytes = reach.of(grid, block, range, numbers);
  return bytes ? "[" + std::to_string(bytes->begin) + "," + std::to_string(bytes->end) + ")" : "unknown";
}

TEST(BlockReach, AnElementForEachThread) {
  const auto found = reach_of("add.s64 %rd4, %rd1, %rd3; ld.global.f32 %f1, [%rd4]; st.global.f32 [%rd4], %f1;");
  EXPECT_EQ(text(found[0]), "[256,640)");
  EXPECT_EQ(found[0].accesses.size(), 1u);
  EXPECT_EQ(text(found[1]), "[0,0)");  // not touched
}

TEST(BlockReach, NeighboursOnBothSides) {
  const auto found = reach_of("add.s64 %rd4, %rd1, %rd3; ld.global.f32 %f1, [%rd4+-4]; ld.global.f32 %f2, [%rd4+4];");
  EXPECT_EQ(text(found[0]), "[252,644)");
  EXPECT_EQ(text(found[0], {10}, {32}, {0, 1}), "[-4,132)");
}

TEST(BlockReach, IndicesThatAreComputedOtherwise) {
  EXPECT_EQ(text(reach_of("sub.s32 %r5, %r1, 1; mul.wide.s32 %rd4, %r5, 8; add.s64 %rd5, %rd1, %rd4;"
                          "ld.global.f64 %rd6, [%rd5];")[0]),
            "[504,1272)");
  EXPECT_EQ(text(reach_of("cvt.s64.s32 %rd4, %r1; shl.b64 %rd5, %rd4, 4; add.s64 %rd6, %rd5, %rd1;"
                          "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd6];")[0]),
            "[1024,2560)");
  EXPECT_EQ(
      text(reach_of(
          "neg.s32 %r5, %r1; mul.wide.s32 %rd4, %r5, 4; add.s64 %rd5, %rd1, %rd4; ld.global.f32 %f1, [%rd5];")[0]),
      "[-636,-252)");
  EXPECT_EQ(text(reach_of("mul.wide.s32 %rd4, %r1, -4; add.s64 %rd5, %rd1, %rd4; ld.global.f32 %f1, [%rd5];")[0]),
            "[-636,-252)");
  EXPECT_EQ(text(reach_of("mul.wide.u32 %rd4, %r2, 4; add.s64 %rd5, %rd1, %rd4; st.global.f32 [%rd5], %f1;")[0]),
            "[8,20)");  // one for each block
}

// Below zero, 32 bits without a sign are another number once they are widened.
TEST(BlockReach, WhatWrapsBeforeItIsWidenedIsUnknown) {
  for (const char* const widened : {"mul.wide.u32 %rd4, %r5, 4;", "cvt.u64.u32 %rd5, %r5; shl.b64 %rd4, %rd5, 2;"})
    EXPECT_EQ(text(reach_of("sub.s32 %r5, %r1, 1;" + std::string(widened) +
                            "add.s64 %rd6, %rd1, %rd4; ld.global.f32 %f1, [%rd6];")[0]),
              "unknown");
  EXPECT_EQ(text(reach_of("add.s32 %r5, %r1, 1; mul.wide.u32 %rd4, %r5, 4; add.s64 %rd6, %rd1, %rd4;"
                          "ld.global.f32 %f1, [%rd6];")[0]),
            "[260,644)");
}

// Compilers widen the thread's number before a branch, and take its lower half behind it.
TEST(BlockReach, WhatIsWidenedAndNarrowedAgainIsTheSame) {
  EXPECT_EQ(text(reach_of("cvt.u64.u32 %rd5, %r4; cvt.u32.u64 %r5, %rd5; mad.lo.s32 %r6, %r2, %r3, %r5;"
                          "mul.wide.s32 %rd4, %r6, 4; add.s64 %rd6, %rd1, %rd4; ld.global.f32 %f1, [%rd6];")[0]),
            "[256,640)");
  EXPECT_EQ(text(reach_of("cvt.u32.u64 %r5, %rd1; mul.wide.u32 %rd4, %r5, 4; add.s64 %rd6, %rd2, %rd4;"
                          "ld.global.f32 %f1, [%rd6];")[1]),
            "unknown");  // an address does not fit
}

TEST(BlockReach, TheSameBytesForAll) {
  EXPECT_EQ(text(reach_of("ld.global.f32 %f1, [%rd1+16];")[0]), "[16,20)");
  const auto both = reach_of("add.s64 %rd4, %rd1, %rd3; st.global.f32 [%rd4], %f1; ld.global.f32 %f1, [%rd1];");
  EXPECT_EQ(text(both[0]), "[0,640)");
  EXPECT_EQ(text(reach_of("red.global.add.u32 [%rd1], 1;")[0]), "[0,4)");
}

TEST(BlockReach, GuardsAreNotLookedAt) {
  const auto found = reach_of(
      "setp.ge.s32 %p1, %r1, %r9; @%p1 bra done; add.s64 %rd4, %rd1, %rd3;"
      "ld.global.f32 %f1, [%rd4];\ndone:");
  EXPECT_EQ(text(found[0]), "[256,640)");
}

TEST(BlockReach, WhatIsNotFollowedIsUnknown) {
  // A loop with steps of the grid, an index that was loaded, one that a number scales, a pointer that is chosen.
  EXPECT_EQ(text(reach_of("add.s64 %rd4, %rd1, %rd3;\nloop: ld.global.f32 %f1, [%rd4]; add.s64 %rd4, %rd4, 4096;"
                          "setp.lt.s32 %p1, %r1, %r9; @%p1 bra loop;")[0]),
            "unknown");
  const auto gather = reach_of(
      "add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r5, [%rd4]; cvta.to.global.u64 %rd5, %rd2;"
      "mul.wide.u32 %rd6, %r5, 4; add.s64 %rd7, %rd5, %rd6; ld.global.f32 %f1, [%rd7];");
  EXPECT_EQ(text(gather[0]), "[256,640)");
  EXPECT_EQ(text(gather[1]), "unknown");
  EXPECT_EQ(text(reach_of("mul.lo.s32 %r5, %r1, %r9; mul.wide.s32 %rd4, %r5, 4; add.s64 %rd5, %rd1, %rd4;"
                          "ld.global.f32 %f1, [%rd5];")[0]),
            "unknown");
  const auto chosen = reach_of(
      "setp.lt.s32 %p1, %r1, %r9; cvta.to.global.u64 %rd5, %rd2; selp.b64 %rd6, %rd1, %rd5, %p1;"
      "add.s64 %rd7, %rd6, %rd3; ld.global.f32 %f1, [%rd7];");
  EXPECT_EQ(text(chosen[0]), "unknown");
  EXPECT_EQ(text(chosen[1]), "unknown");
  // Another definition of the index, on one path.
  EXPECT_EQ(text(reach_of("setp.lt.s32 %p1, %r1, %r9; @%p1 mov.u64 %rd3, 0; add.s64 %rd4, %rd1, %rd3;"
                          "ld.global.f32 %f1, [%rd4];")[0]),
            "unknown");
}

TEST(BlockReach, NumbersThatArePassed) {
  const auto rows = reach_of(
      "add.s64 %rd4, %rd1, %rd3; ld.global.f32 %f1, [%rd4];"
      "sub.s32 %r5, %r1, %r9; mul.wide.s32 %rd5, %r5, 4; add.s64 %rd6, %rd1, %rd5; ld.global.f32 %f1, [%rd6];"
      "add.s32 %r6, %r1, %r9; mul.wide.s32 %rd7, %r6, 4; add.s64 %rd8, %rd1, %rd7; ld.global.f32 %f1, [%rd8];"
      "add.s64 %rd9, %rd2, %rd3; st.global.f32 [%rd9], %f1;");
  EXPECT_EQ(text(rows[0], {10}, {32}, {2, 5}, 100), "[-144,1040)");
  EXPECT_EQ(text(rows[0], {10}, {32}, {2, 5}, 0), "[256,640)");
  EXPECT_EQ(text(rows[0]), "unknown");
  EXPECT_EQ(text(rows[0], {10}, {32}, {2, 5}, -1), "unknown");
  EXPECT_EQ(text(rows[0], {10}, {32}, {2, 5}, 0x7fffffff), "unknown");  // the sum does not fit 32 bits
  EXPECT_EQ(text(rows[1]), "[256,640)");                                // does not depend on it
  const auto stride = reach_of(
      "mul.lo.s32 %r5, %r1, %r9; mul.wide.s32 %rd4, %r5, 4; add.s64 %rd5, %rd1, %rd4; ld.global.f32 %f1, [%rd5];");
  EXPECT_EQ(text(stride[0], {10}, {32}, {2, 5}, 3), "[768,1912)");
}

// An overflow elsewhere in the kernel changes no address.
TEST(BlockReach, OnlyWhatLeadsToTheAddressMustFit32Bits) {
  const auto found = reach_of(
      "mul.lo.s32 %r5, %r1, 1664525; mul.lo.s32 %r6, %r9, %r9; add.s64 %rd4, %rd1, %rd3; add.s32 %r5, %r5, %r6;"
      "st.global.u32 [%rd4], %r5;");
  EXPECT_EQ(text(found[0], {1000}, {1024}, {0, 1000}, 1'000'000), "[0,4096000)");
}

TEST(BlockReach, ConstantsThatNoAddressNeedsAreUnknown) {
  for (const char* const factor : {"-9223372036854775808", "9223372036854775807", "1099511627776"}) {
    const std::string scaled = "mul.lo.s64 %rd4, %rd3, " + std::string(factor) + "; add.s64 %rd5, %rd1, %rd4;";
    EXPECT_EQ(text(reach_of(scaled + "ld.global.f32 %f1, [%rd5];")[0]), "unknown") << factor;
    const std::string shifted = "add.s64 %rd4, %rd3, " + std::string(factor) + "; add.s64 %rd5, %rd1, %rd4;";
    EXPECT_EQ(text(reach_of(shifted + "ld.global.f32 %f1, [%rd5];")[0]), "unknown") << factor;
  }
}

TEST(BlockReach, BitsThatASumLeavesFreeAreAddedToIt) {
  EXPECT_EQ(text(reach_of("shl.b32 %r5, %r1, 1; or.b32 %r6, %r5, 1; mul.wide.s32 %rd4, %r6, 4;"
                          "add.s64 %rd5, %rd1, %rd4; ld.global.f32 %f1, [%rd5];")[0]),
            "[516,1280)");
  EXPECT_EQ(text(reach_of("shl.b32 %r5, %r1, 1; or.b32 %r6, %r5, 2; mul.wide.s32 %rd4, %r6, 4;"
                          "add.s64 %rd5, %rd1, %rd4; ld.global.f32 %f1, [%rd5];")[0]),
            "unknown");
}

// y * n + x of two dimensions: ranges of whole rows of blocks, and within one row.
TEST(BlockReach, GridsOfSeveralDimensions) {
  const auto image = reach_of(
      "mov.u32 %r5, %ctaid.y; mov.u32 %r6, %ntid.y; mov.u32 %r7, %tid.y; mad.lo.s32 %r8, %r5, %r6, %r7;"
      "mad.lo.s32 %r10, %r8, %r9, %r1; mul.wide.s32 %rd4, %r10, 4; add.s64 %rd5, %rd1, %rd4;"
      "ld.global.f32 %f1, [%rd5];");
  const Dim3 grid{4, 6}, block{8, 2};  // 32 columns, 12 rows
  EXPECT_EQ(text(image[0], grid, block, {0, 12}, 32), "[0,768)");
  EXPECT_EQ(text(image[0], grid, block, {12, 24}, 32), "[768,1536)");
  EXPECT_EQ(text(image[0], grid, block, {13, 15}, 32), "[800,992)");
  EXPECT_EQ(text(image[0], grid, block, {3, 5}, 32), "[0,512)");  // parts of two rows: both
  EXPECT_EQ(text(image[0], {4, 6, 2}, block, {30, 40}, 32), "[256,1024)");
  const auto found = reach_of("add.s64 %rd4, %rd1, %rd3; ld.global.f32 %f1, [%rd4];");
  EXPECT_EQ(text(found[0], {5, 2}), "[256,640)");
  EXPECT_EQ(text(found[0], {10}, {16, 2}), "[128,320)");
}

TEST(BlockReach, OnlyGridsThat32BitsCanCount) {
  const auto found = reach_of("add.s64 %rd4, %rd1, %rd3; ld.global.f32 %f1, [%rd4];");
  EXPECT_EQ(text(found[0], {4'000'000}, {1024}, {0, 4'000'000}), "unknown");
  EXPECT_EQ(text(found[0], {2'000'000}, {1024}, {0, 2'000'000}), "[0,8192000000)");
  EXPECT_EQ(text(found[0], {10}, {32}, {3, 3}), "unknown");
}

}  // namespace
}  // namespace heddle::ptx::analysis
