#include "ptx/analysis/waiting/barrier_intervals.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ptx/parser.hpp"

namespace heddle::ptx::analysis {
namespace {

// A letter for each instruction of the body that accesses memory: f for free of conflicts, c for the others.
std::string found_in(const std::string& body) {
  const Module module = parse(R"(.version 7.8
.target sm_80
.address_size 64
.func other() { ret; }
.visible .entry k(.param .u64 p) {
  .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f32 %f<9>;
  .shared .align 4 .b8 tile[1024];
)" + body + "\n  ret;\n}\n",
                              "k.ptx");
  const Function& kernel = module.functions[1];
  const ControlFlowGraph cfg(kernel, &module);
  const std::vector<bool> free = conflict_free_accesses(module, kernel, cfg);
  std::string text;
  for (std::size_t i = 0; i < kernel.body.size(); ++i) {
    const Opcode opcode = kernel.body[i].opcode;
    if (opcode == Opcode::ld || opcode == Opcode::st || opcode == Opcode::atom || opcode == Opcode::red)
      text += free[i] ? 'f' : 'c';
  }
  return text;
}

TEST(BarrierIntervals, ReadsBetweenBarriersWithoutWritesAreFree) {
  EXPECT_EQ(found_in(R"(
    LOOP:
    st.shared.f32 [%r1], %f1;
    bar.sync 0;
    ld.shared.f32 %f2, [%r2];
    ld.shared.f32 %f3, [tile+4];
    bar.sync 0;
    @%p1 bra LOOP;
    ld.shared.f32 %f4, [%r3];)"),
            "cffc");
}

TEST(BarrierIntervals, WithoutTheSecondBarrierTheyAreNot) {
  EXPECT_EQ(found_in(R"(
    LOOP:
    st.shared.f32 [%r1], %f1;
    bar.sync 0;
    ld.shared.f32 %f2, [%r2];
    @%p1 bra LOOP;)"),
            "cc");
}

TEST(BarrierIntervals, BarriersForSomeOrPerhapsForNoneCutNothing) {
  for (const char* barrier : {"bar.sync 0, 64;", "bar.arrive 0, 64;", "@%p1 bar.sync 0;", "bar.warp.sync %r9;"})
    EXPECT_EQ(found_in(std::string("st.shared.f32 [%r1], %f1; ") + barrier + " ld.shared.f32 %f2, [%r2];"), "cc")
        << barrier;
  for (const char* barrier : {"bar.sync 0;", "bar.sync 3;", "barrier.sync 0;", "bar.red.popc.u32 %r5, 0, %p1;"})
    EXPECT_EQ(found_in(std::string("st.shared.f32 [%r1], %f1; ") + barrier + " ld.shared.f32 %f2, [%r2];"), "cf")
        << barrier;
}

TEST(BarrierIntervals, AtomicsAmongThemselvesAreFree) {
  EXPECT_EQ(found_in(R"(
    st.shared.u32 [%r1], %r2;
    bar.sync 0;
    red.shared.add.u32 [%r3], 1;
    atom.shared.add.u32 %r5, [%r3], 1;
    ld.volatile.shared.u32 %r6, [%r3];
    bar.sync 0;
    ld.shared.u32 %r4, [%r1];)"),
            "cffff");
  EXPECT_EQ(found_in("red.shared.add.u32 [%r3], 1; ld.shared.u32 %r4, [%r1];"), "cc");
  EXPECT_EQ(found_in("red.shared.add.u32 [%r3], 1; membar.cta;"), "c");  // what they order is looked at
}

TEST(BarrierIntervals, GenericAccessesMayBeOfSharedMemory) {
  EXPECT_EQ(found_in("st.u32 [%rd1], %r1; ld.shared.u32 %r2, [%r3];"), "cc");
  EXPECT_EQ(found_in("st.global.u32 [%rd1], %r1; ld.shared.u32 %r2, [%r3];"), "cf");
  EXPECT_EQ(found_in("bar.sync 0; ld.u32 %r1, [%rd1];"), "c");
}

TEST(BarrierIntervals, CopiesOfABarrierAreNotToldApart) {
  EXPECT_EQ(found_in("bar.sync 0;\nld.shared.u32 %r2, [%r3];\nbar.sync 0;\n"), "f");
  EXPECT_EQ(found_in("bar.sync 0; ld.shared.u32 %r2, [%r3]; bar.sync 0;"), "c");  // as copies are, on one line
}

TEST(BarrierIntervals, NothingIsFoundWhereAccessesAreNotFollowed) {
  EXPECT_EQ(found_in("ld.shared.u32 %r2, [%r3]; call other;"), "c");
  EXPECT_EQ(found_in("ld.shared.u32 %r2, [%r3]; cp.async.ca.shared.global [%r4], [%rd1], 4;"), "c");
}

}  // namespace
}  // namespace heddle::ptx::analysis
