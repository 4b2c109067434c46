// Passes at the banks of shared memory (tesla.md, TE8), and the time that they take.
#include "device/sim/memory/bank_conflicts.hpp"

#include <gtest/gtest.h>

#include "driver.hpp"

namespace heddle::device::sim {
namespace {

WarpAccess shared(unsigned stride_words, unsigned bytes = 4) {
  return strided(MemoryOperation::load, 0, std::uint64_t{stride_words} * 4, bytes, MemorySpace::shared);
}
WarpAccess lane_words(const std::function<std::uint64_t(unsigned)>& word) {
  return warp_access(MemorySpace::shared, MemoryOperation::load, 4, ~0u, [&](unsigned lane) { return word(lane) * 4; });
}

// Degree 1, 2, 4, ..., 16, 1 on 16 banks, which serve half a warp at a time.
TEST(BankConflicts, StridesOnSixteenBanks) {
  const SharedMemory banks = preset("tesla-g80").shared;
  const std::pair<unsigned, unsigned> degrees[] = {{1, 1}, {2, 2}, {3, 1}, {4, 4}, {8, 8}, {16, 16}, {17, 1}, {0, 1}};
  for (const auto& [stride, degree] : degrees) {
    const Passes passes = shared_passes(banks, shared(stride));
    EXPECT_EQ(passes.needed, 2 * degree) << stride;
    EXPECT_EQ(passes.least, 2u);
  }
}

TEST(BankConflicts, StridesOnThirtyTwoBanks) {
  const SharedMemory banks = preset("fermi-c2050").shared;
  const std::pair<unsigned, unsigned> degrees[] = {{1, 1},   {2, 2},   {3, 1},  {4, 4}, {8, 8},
                                                   {16, 16}, {32, 32}, {33, 1}, {0, 1}};
  for (const auto& [stride, degree] : degrees) EXPECT_EQ(shared_passes(banks, shared(stride)).needed, degree) << stride;
}

// One word is given to many lanes in a pass: others of the same kind conflict on old machines only.
TEST(BankConflicts, Broadcast) {
  const auto two_words = lane_words([](unsigned lane) { return lane % 2; });
  EXPECT_EQ(shared_passes(preset("fermi-c2050").shared, two_words).needed, 1u);
  // Eight lanes want word 0, in one pass; eight want word 1: one in the first pass, the others in the second.
  EXPECT_EQ(shared_passes(preset("tesla-g80").shared, two_words).needed, 2u * 2);
  const auto four_words = lane_words([](unsigned lane) { return lane % 4; });
  EXPECT_EQ(shared_passes(preset("tesla-g80").shared, four_words).needed, 2u * 4);
}

TEST(BankConflicts, WideWordsTakeMorePasses) {
  const SharedMemory banks = preset("fermi-c2050").shared;
  EXPECT_EQ(shared_passes(banks, shared(2, 8)).needed, 2u);
  EXPECT_EQ(shared_passes(banks, shared(4, 16)).needed, 4u);
  EXPECT_EQ(shared_passes(banks, shared(2, 8)).least, 2u);
  EXPECT_EQ(shared_passes(banks, shared(4, 8)).needed, 4u);
  EXPECT_EQ(shared_passes(preset("tesla-g80").shared, shared(2, 8)).needed, 2u * 2);
  // Banks of 8 bytes give a double in one pass.
  SharedMemory wide = banks;
  wide.bank_bytes = 8;
  EXPECT_EQ(shared_passes(wide, shared(2, 8)).needed, 1u);
}

// n words of one bank: n times as long as without conflicts, for each n.
TEST(BankConflicts, NWayIsNTimes) {
  for (const char* name : {"fermi-c2050", "kepler-gtx680", "hopper-h100", "sbi-fermi"}) {
    const MachineDescription machine = preset(name);
    MemorySystem memory(machine);
    SmMemory& sm = memory.sm(0);
    Cycle now = 0;
    for (unsigned n = 1; n <= 32; ++n) {
      const auto access = lane_words([&](unsigned lane) { return lane % n * 32; });
      ASSERT_TRUE(sm.access(now, access, 0).accepted());
      const Admission next = sm.access(now, access, 0);
      EXPECT_EQ(next.stall, MemoryStall::busy);
      EXPECT_EQ(next.ready - now, n * machine.shared.interval) << name << ", " << n << "-way";
      now = next.ready;
      const Admission again = sm.access(now, access, 0);
      EXPECT_EQ(again.ready - now, machine.shared.latency + (n - 1) * machine.shared.interval);
      now += n * machine.shared.interval;
    }
  }
}

TEST(BankConflicts, AtomicOperationsAtOneWordFollowOneAnother) {
  SharedMemory banks = preset("fermi-c2050").shared;
  banks.atomic_passes = 3;
  auto access = lane_words([](unsigned) { return 5; });
  access.operation = MemoryOperation::atomic;
  EXPECT_EQ(shared_passes(banks, access).needed, 32u * 3);
  access.mask = 0xff;
  EXPECT_EQ(shared_passes(banks, access).needed, 8u * 3);
}

TEST(BankConflicts, ConstantWordsAreServedOneByOne) {
  const MachineDescription machine = preset("fermi-c2050");
  Driver driver(machine);
  const auto words = [&](unsigned n) {
    return warp_access(MemorySpace::constant, MemoryOperation::load, 4, ~0u,
                       [=](unsigned lane) { return lane % n * 4; });
  };
  driver.latency(words(1));  // fetches the line
  for (unsigned n = 1; n <= 16; ++n) EXPECT_EQ(driver.latency(words(n)), machine.constant.latency + n - 1) << n;
}

}  // namespace
}  // namespace heddle::device::sim
