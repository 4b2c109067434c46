// What the core says of accesses to memory, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/machine/stepped_kernel.hpp"

namespace heddle::device::machine {
namespace {

using ptx::Space;
using testing::HasSubstr;

void expect_access(const MemoryAccess& access, unsigned lane, AccessKind kind, Space space, std::uint64_t address,
                   unsigned bytes) {
  EXPECT_EQ(access.lane, lane);
  EXPECT_EQ(access.kind, kind);
  EXPECT_EQ(access.space, space);
  EXPECT_EQ(access.address, address);
  EXPECT_EQ(access.bytes, bytes);
}

// %rd2: the lane's word of the memory that p points to; %r3: its offset.
const std::string addresses = R"(
    .reg .b32 %r<8>; .reg .b64 %rd<8>;
    .shared .align 8 .b8 s[256]; .local .align 8 .b8 l[64];
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %laneid;
    shl.b32 %r3, %r1, 2;
    cvt.u64.u32 %rd3, %r3;
    add.u64 %rd2, %rd1, %rd3;
)";
constexpr unsigned before = 5;  // instructions of it

TEST(CoreMemory, LoadsAndStoresOfGlobalMemory) {
  SteppedKernel k(addresses + "ld.global.u32 %r2, [%rd2]; add.u32 %r2, %r2, 1; st.global.u32 [%rd2+128], %r2; ret;");
  k.words[3] = 41;
  k.steps(before);
  const auto loads = k.step(0b1001).accesses();
  ASSERT_EQ(loads.size(), 2u);
  expect_access(loads[0], 0, AccessKind::load, Space::global, k.model_address(), 4);
  expect_access(loads[1], 3, AccessKind::load, Space::global, k.model_address() + 12, 4);
  EXPECT_TRUE(k.step(0b1001).accesses().empty());
  const std::uint64_t epoch = k.machine().memory_epoch;
  const auto stores = k.step(0b1001).accesses();
  ASSERT_EQ(stores.size(), 2u);
  expect_access(stores[1], 3, AccessKind::store, Space::global, k.model_address() + 140, 4);
  EXPECT_EQ(k.words[35], 42u);
  EXPECT_EQ(k.machine().memory_epoch, epoch + 2);
}

TEST(CoreMemory, AllLanesOfAWarp) {
  SteppedKernel k(addresses + "ld.global.u32 %r2, [%rd2]; ret;");
  k.steps(before);
  const auto loads = k.step(~LaneMask{0}).accesses();
  ASSERT_EQ(loads.size(), 32u);
  for (unsigned lane = 0; lane < 32; ++lane)
    expect_access(loads[lane], lane, AccessKind::load, Space::global, k.model_address() + 4 * lane, 4);
}

TEST(CoreMemory, AVectorIsOneAccess) {
  SteppedKernel k(addresses + "ld.global.v2.u64 {%rd4, %rd5}, [%rd1]; st.global.v4.u32 [%rd1+16], {1, 2, 3, 4}; ret;");
  k.words[2] = 9;
  k.steps(before);
  ASSERT_EQ(k.step(0b10).accesses().size(), 1u);
  expect_access(k.effects.accesses()[0], 1, AccessKind::load, Space::global, k.model_address(), 16);
  EXPECT_EQ(k.value(1, "%rd5"), 9u);
  ASSERT_EQ(k.step(0b10).accesses().size(), 1u);
  expect_access(k.effects.accesses()[0], 1, AccessKind::store, Space::global, k.model_address() + 16, 16);
  EXPECT_EQ(k.words[7], 4u);
}

TEST(CoreMemory, AtomicsInTheOrderOfLanes) {
  SteppedKernel k(addresses + "atom.global.add.u32 %r2, [%rd1], %r1; red.global.max.u32 [%rd1+4], %r1; ret;");
  k.steps(before);
  const auto atomics = k.step(0b111).accesses();
  ASSERT_EQ(atomics.size(), 3u);
  for (unsigned lane = 0; lane < 3; ++lane)
    expect_access(atomics[lane], lane, AccessKind::atomic, Space::global, k.model_address(), 4);
  EXPECT_EQ(k.value(2, "%r2"), 1u);
  EXPECT_EQ(k.words[0], 3u);
  EXPECT_EQ(k.step(0b101).accesses().size(), 2u);
  EXPECT_EQ(k.words[1], 2u);
}

TEST(CoreMemory, GenericAddressesAreWhereTheyLead) {
  SteppedKernel k(addresses + R"(
    mov.u64 %rd4, s; cvta.shared.u64 %rd4, %rd4;
    mov.u64 %rd5, l; cvta.local.u64 %rd5, %rd5;
    mov.u64 %rd6, q; cvta.param.u64 %rd6, %rd6;
    st.u32 [%rd4+8], 1;
    st.u32 [%rd5+12], 2;
    ld.u64 %rd7, [%rd6];
    ld.u32 %r2, [%rd2];
    ret;)");
  k.steps(before + 6);
  k.step(0b10);
  expect_access(k.effects.accesses()[0], 1, AccessKind::store, Space::shared, 8, 4);
  const std::uint64_t epoch = k.machine().memory_epoch;
  k.step(0b10);
  expect_access(k.effects.accesses()[0], 1, AccessKind::store, Space::local, 12, 4);
  EXPECT_EQ(k.machine().memory_epoch, epoch);  // nobody else can see it
  EXPECT_EQ(k.block->threads[1].local_epoch(), 1u);
  k.step(0b10);
  expect_access(k.effects.accesses()[0], 1, AccessKind::load, Space::param, 8, 8);
  EXPECT_EQ(k.value(1, "%rd7"), 0x1234u);
  k.step(0b10);
  expect_access(k.effects.accesses()[0], 1, AccessKind::load, Space::global, k.model_address() + 4, 4);
}

TEST(CoreMemory, AWindowsOwnAddresses) {
  SteppedKernel k(addresses + "st.shared.u32 [s+4], %r1; ld.local.u64 %rd4, [l+8]; ld.param.u64 %rd5, [q]; ret;");
  k.steps(before);
  k.step(0b100);
  expect_access(k.effects.accesses()[0], 2, AccessKind::store, Space::shared, 4, 4);
  k.step(0b100);
  expect_access(k.effects.accesses()[0], 2, AccessKind::load, Space::local, 8, 8);
  k.step(0b100);
  EXPECT_EQ(k.effects.accesses()[0].bytes, 8u);
}

TEST(CoreMemory, ACopyReadsAndWrites) {
  SteppedKernel k(addresses + "cp.async.ca.shared.global [s+32], [%rd1], 16, 8; ret;");
  k.words[1] = 5;
  k.steps(before);
  const auto accesses = k.step(~LaneMask{0}).accesses();
  ASSERT_EQ(accesses.size(), 64u);
  expect_access(accesses[0], 0, AccessKind::load, Space::global, k.model_address(), 8);
  expect_access(accesses[1], 0, AccessKind::store, Space::shared, 32, 16);
  EXPECT_EQ(std::to_integer<int>(k.block->shared[36]), 5);
}

TEST(CoreMemory, ABarrierInMemoryIsAnAtomic) {
  SteppedKernel k(addresses + "mbarrier.init.shared.b64 [s+16], 2; mbarrier.arrive.shared.b64 %rd4, [s+16]; ret;");
  k.steps(before);
  k.step(1);
  k.step(0b1);
  ASSERT_EQ(k.effects.accesses().size(), 1u);
  expect_access(k.effects.accesses()[0], 0, AccessKind::atomic, Space::shared, 16, 8);
}

TEST(CoreMemory, AFaultComesBehindTheLanesBefore) {
  SteppedKernel k(addresses + "mad.lo.u32 %r4, %r1, 64, 0; cvt.u64.u32 %rd4, %r4; add.u64 %rd4, %rd4, %rd1;" +
                  "\nst.global.u32 [%rd4], 7;\nret;");
  k.steps(before + 3);
  try {
    k.step(0b110110);
    FAIL() << "lane 4 is beside the memory";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), KernelFault::memory_access);
    EXPECT_THAT(error.what(), HasSubstr("thread (4, 0, 0)"));
    EXPECT_THAT(error.what(), HasSubstr("cannot write 4 bytes at"));
    EXPECT_THAT(error.what(), HasSubstr("right behind the end of the allocation of 256 bytes"));
  }
  EXPECT_EQ(k.words[16], 7u);
  EXPECT_EQ(k.words[32], 7u);
  EXPECT_EQ(k.words[0], 0u);
  EXPECT_EQ(k.effects.accesses().size(), 2u);
}

TEST(CoreMemory, RefusesWhatAnAddressMayNot) {
  struct Case {
    const char *instruction, *text;
    KernelFault fault;
  };
  const Case cases[] = {
      {"ld.global.u32 %r2, [%rd1+2]", "misaligned, the address is not a multiple of 4", KernelFault::misaligned},
      {"st.shared.u32 [s+1024], 1", "the block's shared memory has 512 bytes", KernelFault::memory_access},
      {"ld.local.u32 %r2, [l+64]", "the thread's local variables take 64 bytes", KernelFault::memory_access},
      {"ld.global.u32 %r2, [16]", "at 0x10 of global memory", KernelFault::memory_access},
      {"ld.const.u32 %r2, [%rd1]", "is not constant memory", KernelFault::memory_access},
  };
  for (const Case& c : cases) {
    SteppedKernel k(addresses + c.instruction + "; ret;");
    k.steps(before);
    try {
      k.step(1);
      ADD_FAILURE() << c.instruction;
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), c.fault) << c.instruction;
      EXPECT_THAT(error.what(), HasSubstr(c.text));
    }
  }
}

}  // namespace
}  // namespace heddle::device::machine
