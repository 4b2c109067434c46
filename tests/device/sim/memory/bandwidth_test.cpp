// Streams reach DRAM's peak within 2 %, rows that are open are cheaper, and reordering is worth it.
#include <gtest/gtest.h>

#include <random>

#include "driver.hpp"

namespace heddle::device::sim {
namespace {

// Every SM loads with as many warps as its machine takes; the address of an SM's n-th access is address(sm, n).
struct Stream {
  std::function<std::uint64_t(unsigned, unsigned)> address;
  unsigned accesses;  // of an SM
  MemoryOperation operation = MemoryOperation::load;
};

double bytes_per_cycle(Driver& driver, const Stream& stream) {
  const unsigned sms = driver.machine.sms;
  std::vector<unsigned> issued(sms, 0);
  const auto tick = [&](unsigned sm, Cycle now) {
    if (issued[sm] == stream.accesses) return;
    const std::uint64_t address = stream.address(sm, issued[sm]);
    const Admission answer = driver.memory.sm(sm).access(now, strided(stream.operation, address, 4), issued[sm]);
    if (answer.accepted()) ++issued[sm];
  };
  const auto all = [&] {
    return std::all_of(issued.begin(), issued.end(), [&](unsigned n) { return n == stream.accesses; }) &&
           driver.memory.idle();
  };
  EXPECT_TRUE(driver.run(tick, all));
  return static_cast<double>(driver.memory.counters().dram.bytes) / static_cast<double>(driver.now());
}
double peak(const MachineDescription& m) {
  return m.dram.channels * m.dram.bytes_per_clock * m.clocks.dram_mhz / m.clocks.sm_mhz;
}
// Consecutive lines of all SMs.
Stream sequential(const MachineDescription& m, unsigned accesses) {
  return {[sms = m.sms](unsigned sm, unsigned n) { return (std::uint64_t{n} * sms + sm) * 128; }, accesses};
}

class Bandwidth : public testing::TestWithParam<std::string> {};

TEST_P(Bandwidth, AStreamReachesThePeakWithinTwoPercent) {
  const MachineDescription m = preset(GetParam());
  Driver driver(m);
  const auto accesses = static_cast<unsigned>(60'000 * peak(m) / 128 / m.sms);  // 60,000 cycles
  const double reached = bytes_per_cycle(driver, sequential(m, accesses));
  EXPECT_GE(reached, 0.98 * peak(m));
  EXPECT_LE(reached, peak(m) * 1.0001);
  if (m.dram.model == DramModel::fixed) return;
  EXPECT_GT(driver.memory.counters().dram.row_hit_rate(), 0.8);
}

INSTANTIATE_TEST_SUITE_P(Presets, Bandwidth, testing::ValuesIn(preset_names()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

Stream random_lines(unsigned accesses) {
  auto random = std::make_shared<std::mt19937_64>(1);
  return {[random](unsigned, unsigned) { return (*random)() % (1 << 22) * 128; }, accesses};
}

TEST(Bandwidth, RowHitsOfAStreamAreFarAboveThoseOfRandomLines) {
  const MachineDescription m = preset("fermi-c2050");
  Driver ordered(m), mixed(m);
  const double fast = bytes_per_cycle(ordered, sequential(m, 4000)), slow = bytes_per_cycle(mixed, random_lines(4000));
  EXPECT_GT(ordered.memory.counters().dram.row_hit_rate(), 0.9);
  EXPECT_LT(mixed.memory.counters().dram.row_hit_rate(), 0.3);
  EXPECT_LT(slow, 0.8 * fast);
}

// Each SM has its own stream, in rows of its own: requests for many rows of few banks are mixed in the queues.
Stream streams_apart(const MachineDescription& m, unsigned accesses) {
  const std::uint64_t apart = std::uint64_t{m.dram.row_bytes} * m.dram.banks * m.dram.channels;
  return {[apart](unsigned sm, unsigned n) { return sm * apart + std::uint64_t{n} * 128; }, accesses};
}

TEST(Bandwidth, FirstReadyOrderIsFasterThanFirstCome) {
  MachineDescription m = preset("fermi-c2050");
  Driver first_ready(m);
  m.dram.order = DramOrder::fcfs;
  Driver first_come(m);
  const double ready = bytes_per_cycle(first_ready, streams_apart(m, 3000));
  const double come = bytes_per_cycle(first_come, streams_apart(m, 3000));
  EXPECT_LT(come, 0.8 * ready);
  EXPECT_GT(first_ready.memory.counters().dram.row_hit_rate(), first_come.memory.counters().dram.row_hit_rate());
}

// With one row after the other in one bank each row costs tRC.
TEST(Bandwidth, RowsOfOneBankTakeTheirCycleTime) {
  MachineDescription m = preset("fermi-c2050");
  m.sms = 1;
  m.l1.bytes = 0;  // whose set would take no more
  Driver driver(m);
  const std::uint64_t row = std::uint64_t{m.dram.row_bytes} * m.dram.banks * m.dram.channels;
  const unsigned accesses = 500;
  bytes_per_cycle(driver, {[=](unsigned, unsigned n) { return n * row; }, accesses});
  const double cycles = accesses * m.dram.t_rc * m.clocks.sm_mhz / m.clocks.dram_mhz;
  EXPECT_NEAR(static_cast<double>(driver.now()), cycles, 0.03 * cycles);
}

TEST(Bandwidth, ClosedRowsAreNeverInTheWay) {
  MachineDescription m = preset("fermi-c2050");
  m.dram.row_policy = RowPolicy::closed;
  Driver driver(m);
  bytes_per_cycle(driver, random_lines(500));
  EXPECT_EQ(driver.memory.counters().dram.row_conflicts, 0u);
  EXPECT_GT(driver.memory.counters().dram.row_misses, 1000u);
}

// A refresh every 1000 clocks that takes 100 costs a tenth.
TEST(Bandwidth, RefreshTakesItsShare) {
  MachineDescription m = preset("fermi-c2050");
  Driver without(m);
  m.dram.t_refi = 1000;
  m.dram.t_rfc = 100;
  Driver with(m);
  const double full = bytes_per_cycle(without, sequential(m, 8000)),
               reduced = bytes_per_cycle(with, sequential(m, 8000));
  EXPECT_NEAR(reduced / full, 0.9, 0.03);
}

// Stores of whole lines through L2 to DRAM: those that the L2 does not keep.
TEST(Bandwidth, WritesReachDram) {
  MachineDescription m = preset("fermi-c2050");
  Driver driver(m);
  Stream stream = sequential(m, 4000);
  stream.operation = MemoryOperation::store;
  const double reached = bytes_per_cycle(driver, stream);
  const std::uint64_t stored = std::uint64_t{4000} * m.sms * 128;
  EXPECT_EQ(driver.memory.counters().dram.bytes, stored - m.l2.bytes);
  EXPECT_EQ(driver.memory.counters().l2.cache.write_backs, (stored - m.l2.bytes) / m.l2.line);
  EXPECT_GT(reached, 0.8 * peak(m));
}

// Lines leave the L2 in the order in which many SMs have written them; those of a row leave together.
TEST(Bandwidth, LinesOfARowAreWrittenBackTogether) {
  MachineDescription m = preset("hopper-h100");
  m.l2.bytes = std::uint64_t{m.l2.slices} * m.l2.ways * m.l2.line * 16;
  const auto row_hits = [&](bool together) {
    m.l2.row_write_back = together;
    Driver driver(m);
    const auto address = [sms = m.sms](unsigned sm, unsigned n) {
      return (std::uint64_t{n + sm % 8} * sms + sm * 7919 % sms) * 128;
    };
    bytes_per_cycle(driver, {address, 1000, MemoryOperation::store});
    return driver.memory.counters().dram.row_hit_rate();
  };
  EXPECT_GT(row_hits(true), 0.8);
  EXPECT_LT(row_hits(false), row_hits(true));
}

}  // namespace
}  // namespace heddle::device::sim
