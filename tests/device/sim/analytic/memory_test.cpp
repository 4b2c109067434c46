// Latencies by pointer chase, and the bandwidth that a streaming kernel reaches (tesla.md, section 3 and row TE5).
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "../memory/expected_latency.hpp"
#include "bench.hpp"

namespace heddle::device::sim {
namespace {

constexpr const char* chase = "ld.global.u64 %p, [%p];";

// From `offset` on, words `stride` bytes apart, each of which has the address of the next; the last has the first's.
void write_ring(Bench& bench, std::uint64_t offset, std::uint64_t stride, unsigned count) {
  std::vector<std::uint64_t> words(count * stride / 8);
  for (unsigned i = 0; i < count; ++i) words[i * stride / 8] = bench.address() + offset + (i + 1) % count * stride;
  bench.write(offset, words);
}

class Chase : public testing::TestWithParam<std::string> {
 protected:
  const MachineDescription m_ = preset(GetParam());
};

TEST_P(Chase, InTheL1TakesItsLatency) {
  if (m_.l1.bytes == 0 || !m_.l1.global_loads) GTEST_SKIP() << "no L1 for global loads";
  Bench bench(m_);
  write_ring(bench, 0, 128, 4);
  EXPECT_EQ(step(bench, {.threads = 1}, chase, 20, 60),
            m_.pipes.lsu.latency + m_.l1.latency + m_.front.scheduler_latency);
}

// Kernels begin with an empty L1: lines that are read once come from the L2.
TEST_P(Chase, InTheL2TakesTheSumOfItsParts) {
  if (m_.l2.bytes == 0) GTEST_SKIP() << "no L2";
  Bench bench(m_);
  write_ring(bench, 0, 128, 128);
  const double wanted = m_.pipes.lsu.latency + static_cast<double>(expected_latency(m_, fetched_bytes(m_, 8), 0));
  EXPECT_NEAR(step(bench, {.threads = 1}, chase, 32, 96), wanted, 1);
}

// Each line is read for the first time. What rows cost follows from how many were open, closed and in the way.
TEST_P(Chase, InDramTakesTheSumOfItsParts) {
  Bench bench(m_, 1 << 21);
  const std::uint64_t stride = 4096 + 256;  // over slices, banks and rows
  write_ring(bench, 0, stride, 400);
  const auto run = [&](std::uint64_t first, unsigned loads) {
    return bench.run({.body = repeated(loads, chase), .threads = 1, .offset = first * stride});
  };
  run(399, 1);  // the constant cache has the parameter
  const KernelStatistics few = run(0, 50), more = run(50, 250);
  const auto sum = [&](const KernelStatistics& figures, unsigned loads) {
    const unsigned bytes = fetched_bytes(m_, 8);
    const double alone = m_.dram.model == DramModel::fixed ? m_.dram.latency : dram_cycles(m_, 0, bytes);
    const DramCounters& rows = figures.memory.dram;
    const double clocks = static_cast<double>(rows.row_hits) * m_.dram.t_cl +
                          static_cast<double>(rows.row_misses) * (m_.dram.t_rcd + m_.dram.t_cl) +
                          static_cast<double>(rows.row_conflicts) * (m_.dram.t_rp + m_.dram.t_rcd + m_.dram.t_cl);
    const double each = m_.pipes.lsu.latency + static_cast<double>(expected_latency(m_, bytes, alone));
    return loads * each + (m_.dram.model == DramModel::fixed ? 0 : clocks * m_.clocks.sm_mhz / m_.clocks.dram_mhz);
  };
  const double wanted = sum(more, 250) - sum(few, 50);
  EXPECT_NEAR(static_cast<double>(more.cycles()) - static_cast<double>(few.cycles()), wanted, 0.01 * wanted);
}

INSTANTIATE_TEST_SUITE_P(Presets, Chase, testing::ValuesIn(preset_names()),
                         [](const auto& info) { return test_name(info.param); });

// Part of DRAM's bandwidth that a kernel reaches whose threads read words side by side, in a loop over all threads.
// What a short run takes is the beginning and the end.
double stream(const MachineDescription& m) {
  const double peak = m.dram.channels * m.dram.bytes_per_clock * m.clocks.dram_mhz / m.clocks.sm_mhz;
  const unsigned threads = 256, blocks = m.sms * std::min(m.residency.blocks, m.residency.threads / threads);
  const std::uint64_t round = std::uint64_t{blocks} * threads * 4;
  const auto rounds = [&](double cycles) {
    return static_cast<unsigned>(cycles * peak / static_cast<double>(round)) + 1;
  };
  const unsigned few = rounds(8'000), more = rounds(24'000);
  Bench bench(m, (few + more) * round);
  const auto run = [&](std::uint64_t first, unsigned count) {
    return bench.run(
        {.body = "mov.u32 %i, %ctaid.x;\nmad.lo.u32 %t, %i, " + std::to_string(threads) +
                 ", %t;\nmul.wide.u32 %q, %t, 4;\nadd.u64 %p, %p, %q;\n" +
                 repeated(count, "ld.global.f32 %f#, [%p];\nadd.u64 %p, %p, " + std::to_string(round) + ";", 4),
         .threads = threads,
         .blocks = blocks,
         .offset = first * round});
  };
  const KernelStatistics start = run(0, few), whole = run(few, more);
  const double bytes = static_cast<double>(more) * static_cast<double>(round);
  EXPECT_NEAR(static_cast<double>(whole.memory.dram.bytes), bytes, 4096);
  const double cycles = static_cast<double>(whole.cycles()) - static_cast<double>(start.cycles());
  return (more - few) * static_cast<double>(round) / cycles / peak;
}

class Stream : public testing::TestWithParam<std::string> {};

// Rows cost something: tesla.md, section 3, asks for four fifths.
TEST_P(Stream, ReachesMostOfTheBandwidthOfDram) {
  const double part = stream(preset(GetParam()));
  EXPECT_GE(part, 0.8);
  EXPECT_LE(part, 1.02);
}

// Where rows cost nothing, all of it.
TEST_P(Stream, ReachesTheBandwidthOfAMemoryWithoutRows) {
  MachineDescription m = preset(GetParam());
  m.dram.model = DramModel::fixed;
  EXPECT_NEAR(stream(m), 1, 0.02);
}

// Those whose accesses in flight cover DRAM's latency with words of 4 bytes, and that are simulated soon. The others
// fall short: docs/simulator.md.
INSTANTIATE_TEST_SUITE_P(Presets, Stream, testing::Values("tesla-g80", "dwf-g80", "fermi-gtx480", "sbi-fermi"),
                         [](const auto& info) { return test_name(info.param); });

}  // namespace
}  // namespace heddle::device::sim
