#include "ptx/analysis/access/alike_threads.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ptx/parser.hpp"

namespace heddle::ptx::analysis {
namespace {

bool alike(const std::string& statement, const std::string& variables = {}) {
  return rows_are_alike(parse(R"(.version 8.0
.target sm_90
.address_size 64
)" + variables + R"(
.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 list);
.func (.reg .u32 r) twice(.reg .u32 v) { add.u32 r, v, v; ret; }
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<8>;
  .reg .b64 %d<5>;
  .reg .pred %p<3>;
  .param .b64 one;
  .param .b32 result;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %tid.x;
  mad.lo.u32 %r1, %ctaid.x, %ntid.x, %r1;
  mul.wide.u32 %d2, %r1, 4;
  add.u64 %d1, %d1, %d2;
  ld.global.u32 %r2, [%d1];
  add.u32 %r2, %r2, 1;
  st.global.u32 [%d1], %r2;
  )" + statement + R"(
  ret;
}
)",
                              "k.ptx"));
}

TEST(AlikeThreads, WhatDoesNotDependOnTheRow) {
  EXPECT_TRUE(alike(""));
  EXPECT_TRUE(alike("call (%r3), twice, (%r2);"));
  EXPECT_TRUE(alike("mov.u32 %r3, %nctaid.y;"));
}

TEST(AlikeThreads, WhatTellsThreadsApartOrCountsThem) {
  for (const char* statement :
       {"mov.u32 %r3, %tid.y;", "mov.u32 %r3, %tid.z;", "mov.u32 %r3, %ntid.y;", "mov.u32 %r3, %laneid;",
        "mov.u32 %r3, %warpid;", "mov.u32 %r3, %clock;", "bar.sync 0;", "activemask.b32 %r3;", "nanosleep.u32 20;",
        "atom.global.add.u32 %r3, [%d1], 1;", "red.global.add.u32 [%d1], 1;", "ld.volatile.global.u32 %r3, [%d1];",
        "ld.relaxed.gpu.global.u32 %r3, [%d1];", "shfl.sync.idx.b32 %r3, %r2, 0, 31, -1;",
        "call (result), vprintf, (one, one);", "membar.gl;", "vote.sync.any.pred %p1, %p2, -1;"})
    EXPECT_FALSE(alike(statement)) << statement;
  EXPECT_FALSE(alike("st.shared.u32 [memory], %r2;", ".shared .u32 memory;"));
  EXPECT_FALSE(alike("", ".shared .u32 memory;"));
}

}  // namespace
}  // namespace heddle::ptx::analysis
