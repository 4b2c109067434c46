// Virtual Thread: how many blocks an SM holds, what a context weighs, and which block gives way to which.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "device/sim/policies/virtual_thread/occupancy.hpp"
#include "device/sim/policies/virtual_thread/rotation.hpp"

namespace heddle::device::sim {
namespace {

Residency limits(unsigned blocks, unsigned threads, unsigned registers, std::uint64_t shared) {
  Residency result;
  result.blocks = blocks;
  result.threads = threads;
  result.warps = threads / 32;
  result.registers = registers;
  result.shared_bytes = shared;
  result.register_unit = result.shared_unit = 1;
  return result;
}

struct Row {
  unsigned threads, registers, shared;
  unsigned fermi[2], kepler[2], hopper[2];  // baseline, Virtual Thread
};

// Sections 2.1 and 2.2: the four limits of three machines.
constexpr Row golden[] = {
    {64, 16, 0, {8, 32}, {16, 64}, {32, 64}},  {128, 16, 0, {8, 16}, {16, 32}, {16, 32}},
    {192, 14, 0, {8, 12}, {10, 24}, {10, 24}}, {256, 10, 0, {6, 12}, {8, 25}, {8, 25}},
    {256, 16, 4096, {6, 8}, {8, 10}, {8, 16}}, {512, 10, 0, {3, 6}, {4, 12}, {4, 12}},
    {1024, 16, 0, {1, 2}, {2, 4}, {2, 4}},     {128, 32, 0, {8, 8}, {16, 16}, {16, 16}},
    {256, 33, 0, {3, 3}, {7, 7}, {7, 7}},
};

Occupancy of(const Residency& machine, unsigned threads, unsigned registers, unsigned shared, unsigned entries = 4) {
  return occupancy(machine, needs_of(machine, threads, registers, shared), (threads + 31) / 32, {entries, 1}, 256);
}

TEST(VirtualThread, OccupancyOfTheGoldenTable) {
  const Residency fermi = limits(8, 1536, 32 * 1024, 48 * 1024), kepler = limits(16, 2048, 64 * 1024, 48 * 1024),
                  hopper = limits(32, 2048, 64 * 1024, 227 * 1024);
  for (const Row& row : golden) {
    const auto expect = [&](const Residency& machine, const unsigned(&want)[2], const char* name) {
      const Occupancy got = of(machine, row.threads, row.registers, row.shared);
      EXPECT_EQ(got.baseline, want[0]) << name << " " << row.threads << " " << row.registers;
      EXPECT_EQ(got.resident, want[1]) << name << " " << row.threads << " " << row.registers;
      EXPECT_LE(got.active, got.scheduling);
    };
    expect(fermi, row.fermi, "fermi");
    expect(kepler, row.kepler, "kepler");
    expect(hopper, row.hopper, "hopper");
  }
  EXPECT_EQ(of(kepler, 256, 10, 0, 16).resident, 19u);
  EXPECT_EQ(of(fermi, 256, 16, 4096, 16).resident, 7u);
  EXPECT_EQ(of(kepler, 256, 16, 4096, 8).resident, 9u);
  EXPECT_EQ(of(kepler, 512, 10, 0, 16).resident, 9u);
}

TEST(VirtualThread, TypesOfKernels) {
  const Residency fermi = limits(8, 1536, 32 * 1024, 48 * 1024);
  EXPECT_TRUE(of(fermi, 64, 16, 0).scheduling_limited());
  EXPECT_FALSE(of(fermi, 128, 32, 0).scheduling_limited());  // a tie
  EXPECT_FALSE(of(fermi, 256, 33, 0).scheduling_limited());
}

TEST(VirtualThread, ContextsOfTheGoldenTable) {
  struct Context {
    unsigned warps;
    std::uint64_t bits, bytes;
    Cycle at_256, at_512, at_1024;
  };
  constexpr Context contexts[] = {
      {1, 749, 94, 3, 2, 1},     {2, 1389, 174, 6, 3, 2},       {4, 2669, 334, 11, 6, 3},     {6, 3949, 494, 16, 8, 4},
      {8, 5229, 654, 21, 11, 6}, {16, 10349, 1294, 41, 21, 11}, {32, 20589, 2574, 81, 41, 21}};
  const BlockStateSize size;
  for (const Context& one : contexts) {
    EXPECT_EQ(size.bits(one.warps), one.bits);
    EXPECT_EQ(size.bytes(one.warps), one.bytes);
    EXPECT_EQ(size.cycles(one.warps, 256), one.at_256);
    EXPECT_EQ(size.cycles(one.warps, 512), one.at_512);
    EXPECT_EQ(size.cycles(one.warps, 1024), one.at_1024);
    EXPECT_EQ(size.cycles(one.warps, 0), 0u);
  }
  EXPECT_EQ((BlockStateSize{8, 1}).bits(8), 10349u);
  EXPECT_EQ((BlockStateSize{16, 1}).bits(8), 20589u);
  EXPECT_EQ((BlockStateSize{4, 4}).bits(8), 4 * 5229u);
}

class Rotation : public testing::Test {
 protected:
  // "out1 in3 ...": what has happened up to this cycle.
  void step(Cycle now) {
    for (const BlockRotation::Change& change : rotation_.step(now)) {
      if (change.state == BlockState::pending) trace_ += " out" + std::to_string(change.id);
      if (change.state == BlockState::active) trace_ += " in" + std::to_string(change.id);
    }
    EXPECT_LE(rotation_.active(), 2u);
  }
  PolicyCounts counts_;
  BlockRotation rotation_{{2, 1536, 48}, counts_};
  std::string trace_;
};

// Figure 5: two active blocks and two others, one load each.
TEST_F(Rotation, OrderOfFigure5) {
  for (BlockRotation::Id id = 1; id <= 4; ++id)
    EXPECT_EQ(rotation_.add(id, 256, 8, 11), id <= 2 ? BlockState::active : BlockState::ready);
  step(0);
  EXPECT_EQ(trace_, "");
  rotation_.stalled(1, true);
  step(10);
  EXPECT_EQ(trace_, " out1");
  step(20);
  EXPECT_EQ(trace_, " out1");  // the context of 3 is under way for 11 cycles
  rotation_.stalled(2, true);
  step(21);
  EXPECT_EQ(trace_, " out1 out2 in3");
  step(32);
  EXPECT_EQ(trace_, " out1 out2 in3 in4");
  rotation_.stalled(3, true);
  step(40);
  EXPECT_EQ(trace_, " out1 out2 in3 in4") << "nothing is ready: 1 and 2 have their loads under way";
  rotation_.pending(1, false);
  rotation_.pending(2, false);
  step(50);
  rotation_.stalled(4, true);
  step(61);
  step(72);
  EXPECT_EQ(trace_, " out1 out2 in3 in4 out3 out4 in1 in2");
  EXPECT_EQ(counts_[PolicyEvent::swaps_out], 4u);
  EXPECT_EQ(counts_[PolicyEvent::swaps_in], 4u);
  EXPECT_EQ(counts_[PolicyEvent::context_cycles], 8 * 11u);
}

TEST_F(Rotation, ABlockWhoseWarpsWakeUpStays) {
  for (BlockRotation::Id id = 1; id <= 3; ++id) rotation_.add(id, 256, 8, 11);
  rotation_.remove(3);
  rotation_.stalled(1, true);
  step(1);
  EXPECT_EQ(rotation_.state(1), BlockState::active);  // nobody is there to take its place
  rotation_.stalled(1, false);
  rotation_.add(4, 256, 8, 11);
  step(2);
  EXPECT_EQ(trace_, "");
}

TEST_F(Rotation, TheNextOneComesWhenABlockEnds) {
  for (BlockRotation::Id id = 1; id <= 3; ++id) rotation_.add(id, 256, 8, 0);
  rotation_.remove(2);
  step(5);
  EXPECT_EQ(trace_, " in3");
  EXPECT_EQ(counts_[PolicyEvent::swaps_out], 0u);
}

TEST_F(Rotation, ThreadsAndWarpsAreLimitsToo) {
  BlockRotation rotation({8, 1536, 48}, counts_);
  EXPECT_EQ(rotation.add(1, 1024, 32, 1), BlockState::active);
  EXPECT_EQ(rotation.add(2, 1024, 32, 1), BlockState::ready);
}

// With finereg a block gives way only if what both need then is in the register file.
TEST(BlockRotation, ExchangesBlocksWhereRegistersSuffice) {
  for (const unsigned keeps : {30u, 50u}) {
    PolicyCounts counts;
    BlockRotation rotation({8, 1536, 48, 100}, counts);
    EXPECT_EQ(rotation.add(1, 64, 2, 4, 60), BlockState::active);
    EXPECT_EQ(rotation.add(2, 64, 2, 4, 60), BlockState::ready);
    EXPECT_EQ(rotation.held(), 60u) << "a block has no registers before its first turn";
    rotation.stalled(1, true, keeps);
    rotation.step(10);
    EXPECT_EQ(rotation.state(1), keeps == 30 ? BlockState::pending : BlockState::active);
    EXPECT_EQ(rotation.held(), keeps == 30 ? 90u : 60u);
    rotation.step(14);
    EXPECT_NE(rotation.state(2), BlockState::active) << "registers of the block that left are moved first";
    rotation.step(40);
    EXPECT_EQ(rotation.state(2), keeps == 30 ? BlockState::active : BlockState::ready);
    rotation.remove(1);
    rotation.step(80);
    rotation.step(120);
    EXPECT_EQ(rotation.state(2), BlockState::active);
    rotation.remove(2);
    EXPECT_EQ(rotation.held(), 0u);
  }
}

}  // namespace
}  // namespace heddle::device::sim
