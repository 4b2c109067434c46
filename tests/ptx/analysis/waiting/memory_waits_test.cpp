#include "ptx/analysis/waiting/memory_waits.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ptx/parser.hpp"

namespace heddle::ptx::analysis {
namespace {

MemoryWaits waits_of(const std::string& body) {
  const Module module = parse(R"(.version 6.0
.target sm_20
.address_size 64
.visible .entry k(.param .u64 data)
{
  .reg .pred %p<4>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
)" + body + "\n  ret;\n}\n",
                              "test");
  return find_memory_waits(module.functions.front());
}

TEST(MemoryWaits, LoadsBeforeTheFirstUseAreUnderWayTogether) {
  const MemoryWaits found = waits_of(R"(
  ld.global.u32 %r1, [%rd1];
  ld.global.u32 %r2, [%rd1+4];
  ld.global.u32 %r3, [%rd1+8];
  add.u32 %r4, %r1, %r2;
  add.u32 %r4, %r4, %r3;
  st.global.u32 [%rd1+12], %r4;)");
  EXPECT_EQ(found.accesses, 4);
  EXPECT_EQ(found.waits, 1);
  EXPECT_EQ(found.accesses_per_wait(), 4);
}

TEST(MemoryWaits, AChainWaitsEachTime) {
  const MemoryWaits found = waits_of(R"(
  ld.global.u32 %r1, [%rd1];
  add.u32 %r2, %r1, 1;
  ld.global.u32 %r3, [%rd1+4];
  add.u32 %r4, %r3, %r2;)");
  EXPECT_EQ(found.accesses, 2);
  EXPECT_EQ(found.waits, 2);
}

TEST(MemoryWaits, LoopsCountEightTimes) {
  const MemoryWaits found = waits_of(R"(
  mov.u32 %r5, 10;
again:
  ld.global.u32 %r1, [%rd1];
  add.u32 %r2, %r1, 1;
  sub.u32 %r5, %r5, 1;
  setp.ne.u32 %p1, %r5, 0;
  @%p1 bra again;
  st.global.u32 [%rd1], %r2;)");
  EXPECT_EQ(found.accesses, 9);
  EXPECT_EQ(found.waits, 8);
}

TEST(MemoryWaits, SharedMemoryAndParametersAreNoWaits) {
  const MemoryWaits found = waits_of(R"(
  .shared .b32 kept[32];
  ld.shared.u32 %r1, [kept];
  add.u32 %r2, %r1, 1;
  st.shared.u32 [kept], %r2;)");
  EXPECT_EQ(found.accesses, 0);
  EXPECT_EQ(found.accesses_per_wait(), 1);
}

TEST(MemoryWaits, AResultThatIsOverwrittenIsNotWaitedFor) {
  const MemoryWaits found = waits_of(R"(
  ld.global.u32 %r1, [%rd1];
  mov.u32 %r1, 0;
  add.u32 %r2, %r1, 1;)");
  EXPECT_EQ(found.waits, 0);
}

}  // namespace
}  // namespace heddle::ptx::analysis
