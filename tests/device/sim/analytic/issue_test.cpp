// Rates of issue and latencies of pipes, of barriers and of launches (tesla.md, section 3 and rows TE2, TE6 and TE9):
// the cycles that kernels take are those that the machine file says, on every preset and on machines that nobody makes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "bench.hpp"

namespace heddle::device::sim {
namespace {

// A pipe as a model of rates sees it: of 0 pipes the FMA's are used.
Pipe resolved(const MachineDescription& m, const Pipe& pipe) {
  Pipe result = pipe;
  if (pipe.count == 0) result.count = std::max(m.pipes.fma.count, 1u);
  return result;
}
double issue_rate(const MachineDescription& m) {
  return static_cast<double>(m.front.schedulers) * m.front.issue_width / m.front.issue_interval;
}
// Warp instructions a cycle of an SM.
double rate(const MachineDescription& m, const Pipe& pipe) {
  const Pipe used = resolved(m, pipe);
  return std::min(issue_rate(m), static_cast<double>(used.count) / used.interval);
}
unsigned warps_for_peak(const MachineDescription& m) {
  const unsigned threads = std::min({m.residency.block_threads, m.residency.threads, m.residency.registers / 24});
  return threads / 32 / m.front.schedulers * m.front.schedulers;
}

class Rates : public testing::TestWithParam<std::string> {
 protected:
  // Warp instructions a cycle of one SM, of `line` in so many independent chains.
  static double measured(MachineDescription m, const std::string& line) {
    m.policies.scheduler = "lrr";  // under others the last warps run alone, which are too few for the peak
    Bench bench(one_sm(m));
    const unsigned warps = warps_for_peak(m);
    return warps / step(bench, {.threads = warps * 32}, line, 128, 384, 8);
  }
};

TEST_P(Rates, OfEachPipeAreThoseOfTheMachineFile) {
  const MachineDescription m = preset(GetParam());
  const auto expect = [&](const Pipe& pipe, const std::string& line) {
    const double wanted = rate(m, pipe);
    EXPECT_NEAR(measured(m, line), wanted, 0.01 * wanted) << line;
  };
  expect(m.pipes.fma, "fma.rn.f32 %f#, %f#, %f#, %f#;");
  expect(m.pipes.alu, "xor.b32 %r#, %t, 7;");
  expect(m.pipes.sfu, "ex2.approx.f32 %f#, %f#;");
  expect(m.pipes.fp64, "fma.rn.f64 %d#, %d#, %d#, %d#;");
}

TEST_P(Rates, OfADependentChainAreLatencies) {
  const MachineDescription m = preset(GetParam());
  Bench bench(one_sm(m));
  const auto expect = [&](const Pipe& pipe, const std::string& line) {
    const double wanted = resolved(m, pipe).latency + m.front.delivery_latency + m.front.scheduler_latency;
    EXPECT_EQ(step(bench, {}, line, 20, 60), wanted) << line;
  };
  expect(m.pipes.fma, "fma.rn.f32 %f0, %f0, %f0, %f0;");
  expect(m.pipes.alu, "add.u32 %i, %i, 1;");
  expect(m.pipes.sfu, "ex2.approx.f32 %f0, %f0;");
  expect(m.pipes.fp64, "fma.rn.f64 %d0, %d0, %d0, %d0;");
}

std::string product(unsigned first) {
  const auto f = [&](unsigned i) { return "%f" + std::to_string(first + i); };
  const std::string sums = "{" + f(0) + ", " + f(1) + ", " + f(2) + ", " + f(3) + "}";
  return "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " + sums + ", {%r0, %r1, %r2, %r3}, {%r4, %r5}, " + sums +
         ";";
}

// Products of matrices: the file says how long 16 x 8 x 16 halves take. f64 takes 16 times as long for a product.
TEST_P(Rates, OfProductsOfMatricesAreThoseOfTheTensorPipe) {
  MachineDescription m = preset(GetParam());
  m.policies.scheduler = "lrr";
  Bench bench(one_sm(m));
  const double latency = resolved(m, m.pipes.tensor).latency + m.front.delivery_latency + m.front.scheduler_latency;
  const double chain = step(bench, {}, product(0), 20, 60);
  EXPECT_GE(chain, latency);
  EXPECT_LE(chain, latency + 4) << "ten registers are read";
  const unsigned warps = warps_for_peak(m);
  const auto measured_rate = [&](const std::string& line) {
    return warps / step(bench, {.threads = warps * 32}, line, 4, 12);
  };
  const double wanted = rate(m, m.pipes.tensor);
  EXPECT_NEAR(2 * measured_rate(product(0) + product(4)), wanted, 0.02 * wanted);
  const std::string doubles = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d0, %d1}, {%d2}, {%d3}, {%d4, %d5};";
  EXPECT_NEAR(measured_rate(doubles), wanted / 2, 0.02 * wanted);
}

// Of one warp: its latency. Of several: the other arrivals come before it, one for each turn of a scheduler.
TEST_P(Rates, OfBarriersAreTheirLatencyAndTheArrivals) {
  const MachineDescription m = preset(GetParam());
  Bench bench(one_sm(m));
  const Pipe branch = resolved(m, m.pipes.branch);
  // A thread with one instruction in flight comes to the next barrier when it is through the pipe.
  const double least = m.front.one_in_flight ? branch.latency : 0;
  for (const unsigned warps : {1u, 4u, 8u, warps_for_peak(m)}) {
    double arrivals_a_cycle = std::min(static_cast<double>(m.front.schedulers) / m.front.issue_interval,
                                       static_cast<double>(branch.count) / branch.interval);
    // The last of the warps that come together arrives after all others but those of its own turn.
    double together = std::min<double>(warps, std::min(branch.count, m.front.schedulers));
    if (m.front.barrier_interval != 0) {
      arrivals_a_cycle = std::min(arrivals_a_cycle, 1.0 / m.front.barrier_interval);
      together = 1;
    }
    const double wanted = std::max(least, m.front.barrier_latency + (warps - together) / arrivals_a_cycle);
    const double found = step(bench, {.threads = warps * 32}, "bar.sync 0;", 10, 30);
    EXPECT_NEAR(found, wanted, warps == 1 ? 0 : 0.02 * wanted) << warps << " warps";
  }
}

TEST_P(Rates, OfABlocksStartAreThoseOfTheMachineFile) {
  const MachineDescription m = preset(GetParam());
  Bench bench(m);
  const auto cycles = [&](unsigned blocks) {
    return static_cast<double>(bench.run({.body = "", .threads = 32, .blocks = blocks}).cycles());
  };
  cycles(1);
  const double one = cycles(1);
  const double least = static_cast<double>(m.launching.kernel_cycles) + m.launching.block_cycles;
  EXPECT_EQ(one, least + 1);  // of the return
  // As many as find room at once, each in its turn; that of the first one is in `one`.
  const unsigned blocks = std::min(m.residency.blocks, m.residency.warps) * m.sms;
  const double wanted = (blocks - 1) / m.launching.blocks_per_cycle;
  EXPECT_NEAR(cycles(blocks) - one, wanted, std::max(0.02 * wanted, 2.0));
}

INSTANTIATE_TEST_SUITE_P(Presets, Rates, testing::ValuesIn(preset_names()),
                         [](const auto& info) { return test_name(info.param); });

// Tesla's peak, section 2.2: 24 Gflop/s of MADs in an SM, 36 with multiplications that the SFUs execute meanwhile.
TEST(Tesla, MadsAndMultiplicationsReachThePeakOfThePaper) {
  const MachineDescription m = one_sm(preset("tesla-g80"));
  Bench bench(m);
  const double ghz = m.clocks.sm_mhz / 1000;
  const Launch all{.threads = 512};
  const double mads = step(bench, all, "mad.rn.f32 %f#, %f#, %f#, %f#;", 128, 384, 8);
  EXPECT_NEAR(16 * 32 * 2 / mads * ghz, 24, 0.01 * 24);
  const double both = step(bench, all, "mad.rn.f32 %f#, %f#, %f#, %f#;\nmul.rn.f32 %f1#, %f20, %f21;", 128, 384, 8);
  EXPECT_NEAR(16 * 32 * 3 / both * ghz, 36, 0.02 * 36);
}

// Four MADs occupy the SPs for as long as a transcendental function the SFUs: both are busy all the time.
TEST(Tesla, UnitsThatAlternateAreBothBusy) {
  const MachineDescription m = one_sm(preset("tesla-g80"));
  Bench bench(m);
  std::string line = "ex2.approx.f32 %f1#, %f1#;\n";
  for (const char* name : {"%f2#", "%f3", "%f4", "%f5"}) {
    const std::string f = name;
    line += "mad.rn.f32 " + f + ", " + f + ", " + f + ", " + f + ";\n";
  }
  const double cycles = step(bench, {.threads = 512}, line, 64, 192, 2);
  EXPECT_NEAR(cycles, 16 * 16, 0.02 * 16 * 16);
  const KernelStatistics figures = bench.run({.body = repeated(256, line, 2), .threads = 512});
  const auto busy = [&](PipeClass pipe) {
    const auto i = static_cast<unsigned>(pipe);
    const double running = static_cast<double>(figures.cycles() - m.launching.kernel_cycles - m.launching.block_cycles);
    return static_cast<double>(figures.sm.pipe_cycles[i]) / running;
  };
  EXPECT_GT(busy(PipeClass::fma), 0.95);
  EXPECT_GT(busy(PipeClass::sfu), 0.95);
}

// Machines that no preset describes: the rate follows the file, not the preset.
TEST(Machine, RatesFollowItsFileAtOddValues) {
  for (const unsigned schedulers : {1u, 2u, 3u}) {
    for (const unsigned interval : {1u, 3u, 7u}) {
      MachineDescription m = one_sm(preset("fermi-c2050"));
      m.front.schedulers = m.pipes.fma.count = schedulers;
      m.pipes.fma.interval = interval;
      m.pipes.fma.latency = 11;
      m.front.issue_interval = 2;
      Bench bench(m);
      const unsigned warps = 12;
      const double wanted = rate(m, m.pipes.fma);
      const double found = warps / step(bench, {.threads = warps * 32}, "fma.rn.f32 %f#, %f#, %f#, %f#;", 128, 384, 8);
      EXPECT_NEAR(found, wanted, 0.01 * wanted) << schedulers << " schedulers, interval " << interval;
      EXPECT_EQ(step(bench, {}, "fma.rn.f32 %f0, %f0, %f0, %f0;", 20, 60), 11);
    }
  }
}

}  // namespace
}  // namespace heddle::device::sim
