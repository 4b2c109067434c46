// Plain reads that an atomic operation settles.
#include "device/cpu/codegen/settled_reads.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ptx/parser.hpp"

namespace heddle::device::cpu {
namespace {

constexpr const char* frame = R"ptx(
.version 8.3
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 out, .param .u32 n)
{{
  .reg .pred %p<8>;
  .reg .b32 %r<32>;
  .reg .f32 %f<8>;
  .reg .b64 %rd<8>;
  .shared .align 4 .b8 own[64];
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
{}
  st.global.u32 [%rd1], %r2;
  ret;
}}
)ptx";

// Whether the first load that is none of a parameter is settled.
bool settled(const std::string& code) {
  const ptx::Module module = ptx::parse(fmt::format(fmt::runtime(frame), code), "test.ptx");
  const ptx::Function& function = module.functions[0];
  const auto load = std::ranges::find_if(function.body, [](const ptx::Instruction& inst) {
    return inst.opcode == ptx::Opcode::ld && inst.d.space != ptx::Space::param;
  });
  return SettledReads(function).contains(*load);
}

TEST(SettledReads, ASwapExpectsWhatWasRead) {
  EXPECT_TRUE(settled("ld.global.u32 %r3, [%rd1]; atom.global.cas.b32 %r4, [%rd1], %r3, %r1;"));
  EXPECT_TRUE(settled("ld.global.u32 %r3, [%rd1+4]; mov.u32 %r5, %r3; atom.global.cas.b32 %r4, [%rd1+4], %r5, %r1;"));
  EXPECT_FALSE(settled("ld.global.u32 %r3, [%rd1]; atom.global.cas.b32 %r4, [%rd1], %r1, %r3;")) << "the new value";
  EXPECT_FALSE(settled("ld.global.u32 %r3, [%rd1]; atom.global.add.u32 %r4, [%rd1], %r3;"));
  EXPECT_FALSE(settled("ld.global.u32 %r3, [%rd1]; add.u32 %r5, %r3, 1; atom.global.cas.b32 %r4, [%rd1], %r5, %r1;"));
}

// Compilers read two words of a union.
TEST(SettledReads, ItsPartsMayBeReadOneByOne) {
  EXPECT_TRUE(
      settled("ld.global.u32 %r3, [%rd1+4]; ld.global.u32 %r4, [%rd1]; mov.b64 %rd2, {%r4, %r3};"
              "atom.global.cas.b64 %rd3, [%rd1], %rd2, %rd1;"));
  EXPECT_TRUE(
      settled("ld.global.v2.u32 {%r4, %r3}, [%rd1]; mov.b64 %rd2, {%r4, %r3};"
              "atom.global.cas.b64 %rd3, [%rd1], %rd2, %rd1;"));
  EXPECT_FALSE(
      settled("ld.global.u32 %r3, [%rd1+8]; ld.global.u32 %r4, [%rd1]; mov.b64 %rd2, {%r4, %r3};"
              "atom.global.cas.b64 %rd3, [%rd1], %rd2, %rd1;"));
}

TEST(SettledReads, PlacesAreFollowed) {
  EXPECT_FALSE(settled("ld.global.u32 %r3, [%rd1]; atom.global.cas.b32 %r4, [%rd1+4], %r3, %r1;"));
  EXPECT_TRUE(
      settled("ld.global.u32 %r3, [%rd1+4]; add.s64 %rd3, %rd1, 4; atom.global.cas.b32 %r4, [%rd3], %r3, %r1;"));
  EXPECT_FALSE(
      settled("ld.global.u32 %r3, [%rd1+8]; add.s64 %rd3, %rd1, 4; atom.global.cas.b32 %r4, [%rd3], %r3, %r1;"));
  EXPECT_TRUE(settled("ld.shared.u32 %r3, [own]; mov.u64 %rd2, own; atom.shared.cas.b32 %r4, [%rd2], %r3, %r1;"));
  EXPECT_FALSE(settled("ld.shared.u32 %r3, [own]; mov.u64 %rd2, own; atom.shared.cas.b32 %r4, [%rd2+4], %r3, %r1;"));
  EXPECT_FALSE(
      settled("mov.u64 %rd2, %rd3; mov.u64 %rd3, %rd2; ld.global.u32 %r3, [%rd2];"
              "atom.global.cas.b32 %r4, [%rd1], %r3, %r1;"))
      << "copies in a circle";
}

TEST(SettledReads, WhatIsOnlyComparedIsSettledByWhatIsRightAnyway) {
  const std::string test = "ld.global.u32 %r3, [%rd1]; setp.gt.u32 %p2, %r1, %r3; ";
  EXPECT_TRUE(settled(test + "@%p2 red.global.max.u32 [%rd1], %r1;"));
  EXPECT_TRUE(settled(test + "@%p2 atom.global.exch.b32 %r4, [%rd1], %r1;"));
  EXPECT_FALSE(settled(test + "@%p2 red.global.add.u32 [%rd1], %r1;")) << "others may have added by then";
  EXPECT_FALSE(settled(test + "@%p2 red.global.max.u32 [%rd1], %r1; add.u32 %r2, %r3, 1;")) << "it is stored";
  EXPECT_TRUE(
      settled("ld.global.u32 %r3, [%rd1]; and.b32 %r4, %r3, %r1; setp.eq.u32 %p2, %r4, 0;"
              "@%p2 red.global.or.b32 [%rd1], %r1;"));
  EXPECT_TRUE(
      settled("ld.global.f32 %f1, [%rd1]; abs.f32 %f2, %f1; setp.gt.f32 %p2, %f3, %f2;"
              "@%p2 red.global.max.u32 [%rd1], %r1;"));
  EXPECT_FALSE(
      settled("ld.global.u32 %r3, [%rd1]; setp.gt.u32 %p2, %r1, %r3; cvt.u64.u32 %rd2, %r3;"
              "ld.global.u32 %r4, [%rd2]; @%p2 red.global.max.u32 [%rd1], %r1;"))
      << "it is an address";
}

// A search of a graph: whether a vertex is of this level, and marks for its neighbours.
TEST(SettledReads, ArraysWhoseAtomicsAreAllRightAnyway) {
  const std::string search =
      "mul.wide.u32 %rd4, %r1, 4; add.s64 %rd2, %rd1, %rd4; ld.global.u32 %r3, [%rd2]; setp.eq.u32 %p2, %r3, 5;"
      "mul.wide.u32 %rd5, %r9, 4; add.s64 %rd3, %rd1, %rd5; @%p2 atom.global.cas.b32 %r4, [%rd3], -1, %r1;";
  EXPECT_TRUE(settled(search));
  EXPECT_FALSE(settled(search + "red.global.add.u32 [%rd3], 1;")) << "others may have added by then";
  EXPECT_FALSE(settled(search + "add.u32 %r2, %r3, 1;")) << "it is stored";
  EXPECT_FALSE(
      settled("ld.global.u32 %r3, [%rd1]; setp.eq.u32 %p2, %r3, 5;"
              "mov.u64 %rd3, own; @%p2 atom.shared.cas.b32 %r4, [%rd3], -1, %r1;"))
      << "another array";
}

}  // namespace
}  // namespace heddle::device::cpu
