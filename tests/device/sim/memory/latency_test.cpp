// A load that meets no other takes the sum of what the machine file says, to the cycle.
#include <gtest/gtest.h>

#include "driver.hpp"
#include "expected_latency.hpp"

namespace heddle::device::sim {
namespace {

// A warp in which one lane loads: a pointer chase.
WarpAccess one_lane(std::uint64_t address) {
  return warp_access(MemorySpace::global, MemoryOperation::load, 4, 1, [=](unsigned) { return address; });
}

class Latency : public testing::TestWithParam<std::string> {};

TEST_P(Latency, OfADramAccessIsTheSumOfItsParts) {
  const MachineDescription m = preset(GetParam());
  Driver driver(m);
  const unsigned bytes = fetched_bytes(m);
  if (m.dram.model == DramModel::fixed) {
    EXPECT_EQ(driver.latency(one_lane(0)), expected_latency(m, bytes, m.dram.latency));
    return;
  }
  // All accesses go to one slice and bank, far enough apart to be in the same row, or in another.
  const std::uint64_t same_row = std::uint64_t{m.dram.interleave} * m.l2.slices;
  const std::uint64_t other_row = std::uint64_t{m.dram.row_bytes} * m.dram.banks * m.dram.channels;
  EXPECT_EQ(driver.latency(one_lane(0)), expected_latency(m, bytes, dram_cycles(m, m.dram.t_rcd + m.dram.t_cl, bytes)));
  if (m.dram.hash) return;  // its addresses that share a row are no multiples
  EXPECT_EQ(driver.latency(one_lane(same_row)), expected_latency(m, bytes, dram_cycles(m, m.dram.t_cl, bytes)));
  EXPECT_EQ(driver.latency(one_lane(other_row)),
            expected_latency(m, bytes, dram_cycles(m, m.dram.t_rp + m.dram.t_rcd + m.dram.t_cl, bytes)));
  const DramCounters counted = driver.memory.counters().dram;
  EXPECT_EQ(counted.row_misses, 1u);
  EXPECT_EQ(counted.row_hits, 1u);
  EXPECT_EQ(counted.row_conflicts, 1u);
}

TEST_P(Latency, OfAnL2HitIsTheSumOfItsParts) {
  const MachineDescription m = preset(GetParam());
  if (m.l2.bytes == 0) return;
  Driver driver(m);
  driver.latency(one_lane(4096));
  driver.memory.sm(0).invalidate(driver.now());
  EXPECT_EQ(driver.latency(one_lane(4096)), expected_latency(m, fetched_bytes(m), 0));
  EXPECT_EQ(driver.memory.counters().l2.cache.hits, 1u);
}

TEST_P(Latency, OfAnL1HitIsTheL1s) {
  const MachineDescription m = preset(GetParam());
  if (m.l1.bytes == 0 || !m.l1.global_loads) return;
  Driver driver(m);
  driver.latency(one_lane(4096));
  EXPECT_EQ(driver.latency(one_lane(4100)), m.l1.latency);
  EXPECT_EQ(driver.memory.counters().sm.l1.hits, 1u);
}

INSTANTIATE_TEST_SUITE_P(Presets, Latency, testing::ValuesIn(preset_names()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// "330 ns" of Simultaneous Branch and Warp Interweaving, table 2, from the look-up to the data.
TEST(Latency, InterweavingsMemoryTakes330Cycles) {
  Driver driver(preset("sbi-fermi"));
  EXPECT_EQ(driver.latency(one_lane(0)), 330u);
}

TEST(Latency, DoesNotDependOnTheLengthOfEpochs) {
  const MachineDescription m = preset("fermi-c2050");
  Driver usual(m);
  const Cycle cycles = usual.latency(one_lane(0));
  for (const Cycle epoch : {1, 7, 64, 100}) {
    Driver driver(m);
    driver.epoch_limit = epoch;
    EXPECT_EQ(driver.latency(one_lane(0)), cycles) << epoch;
  }
}

// An access of n transactions takes n cycles at the L1's port; banks look up several lines at once.
TEST(Latency, OfSeveralHitsIsOneCycleForEach) {
  MachineDescription m = preset("fermi-c2050");
  for (const unsigned banks : {1u, 4u, 32u}) {
    m.l1.banks = banks;
    Driver driver(m);
    const WarpAccess access = strided(MemoryOperation::load, 0, 128);
    driver.latency(access);
    EXPECT_EQ(driver.latency(access), m.l1.latency + 32 / banks - 1) << banks;
  }
}

}  // namespace
}  // namespace heddle::device::sim
