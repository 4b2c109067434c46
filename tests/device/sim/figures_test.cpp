// What a simulated GPU reports of a launch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/sim/sim.hpp"
#include "ptx/parser.hpp"

namespace heddle::device::sim {
namespace {

using testing::HasSubstr;
using testing::Not;

// One launch of the kernel `k`, whose parameter is an array of zeros.
std::vector<KernelStatistics> run(const std::string& machine, const std::string& body, unsigned threads,
                                  std::uint64_t blocks = 1) {
  std::vector<KernelStatistics> launches;
  SimOptions options = parse_sim_options(machine);
  options.on_launch = [&](const std::string&, const KernelStatistics& figures) { launches.push_back(figures); };
  const auto device = make_sim_device(std::move(options));
  const std::string text =
      ".version 6.0\n.target sm_30\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
      ".reg .u64 %p, %q; .reg .u32 %t, %i; .reg .pred %c;\nld.param.u64 %p, [a];\n" +
      body + "ret;\n}\n";
  const auto module = device->load(std::make_shared<const ptx::Module>(ptx::parse(text, "k")), {});
  const auto memory = device->allocate(1 << 16);
  const auto queue = device->queue({});
  queue->fill(memory->span(), 0, 4);
  const std::uint64_t address = memory->span().address;
  std::vector<std::byte> arguments(sizeof address);
  std::memcpy(arguments.data(), &address, sizeof address);
  queue->launch(module->function("k"),
                {.grid = {static_cast<unsigned>(std::max<std::uint64_t>(blocks, 1))}, .block = {threads}}, {0, blocks},
                arguments);
  queue->synchronize();
  return launches;
}

TEST(Figures, AllLanesOfAllSlotsAreUsedWithoutDivergence) {
  const std::string body =
      "mov.u32 %t, %tid.x;\nadd.u32 %t, %t, 1;\nmul.wide.u32 %q, %t, 4;\nadd.u64 %p, %p, %q;\n"
      "st.global.u32 [%p], %t;\n";
  for (const char* policy : {"", ",issue=dual", ",divergence=mimd"}) {
    const KernelStatistics full = run("sim:fermi-gtx480,memory=ideal" + std::string(policy), body, 256, 8).at(0);
    EXPECT_DOUBLE_EQ(full.simd_efficiency(), 1) << policy;
    const KernelStatistics half = run("sim:fermi-gtx480,memory=ideal" + std::string(policy), body, 16, 8).at(0);
    EXPECT_DOUBLE_EQ(half.simd_efficiency(), 0.5) << policy;
  }
}

// A chain of loads, each of which reads the address of the next: an array of zeros leads to its own first word.
TEST(Figures, AChainOfLoadsTakesTheLatenciesOfThePipeAndOfTheCache) {
  const auto chain = [](unsigned loads) {
    std::string body;
    for (unsigned i = 0; i < loads; ++i) body += "ld.global.u64 %q, [%p];\nadd.u64 %p, %p, %q;\n";
    return body + "st.global.u64 [%p], %q;\n";
  };
  for (const char* machine : {"sim:fermi-gtx480", "sim:kepler-gtx680", "sim:hopper-h100"}) {
    const MachineDescription description = parse_sim_options(machine).machine;
    const Pipes& pipes = description.pipes;
    const std::string ideal = std::string(machine) + ",memory=ideal";
    const auto cycles = [&](unsigned loads) { return run(ideal, chain(loads), 1).at(0).cycles(); };
    const Cycle least =
        description.l1.latency + pipes.lsu.latency + (pipes.alu.count != 0 ? pipes.alu : pipes.fma).latency;
    const double step = static_cast<double>(cycles(40) - cycles(20)) / 20;
    EXPECT_GE(step, static_cast<double>(least)) << machine;
    EXPECT_LE(step, static_cast<double>(least) + 2.0 * (description.front.delivery_latency + 2)) << machine;
  }
}

TEST(Figures, ReportsHaveTheMemory) {
  const std::string body = "ld.global.u32 %t, [%p];\nst.global.u32 [%p+4096], %t;\n";
  const std::string full = report_text("k", run("sim:hopper-h100", body, 64).at(0));
  EXPECT_THAT(full, HasSubstr("kernel     k\n"));
  for (const char* line : {"accesses   4 global", "\nL1         ", "\nL2         ", "\nDRAM       "})
    EXPECT_THAT(full, HasSubstr(line));
  EXPECT_THAT(report_text("k", run("sim:hopper-h100,memory=ideal", body, 64).at(0)), Not(HasSubstr("DRAM")));
}

// Time in which copies ran and nothing was simulated is no part of a launch.
TEST(Figures, DramIsUsedAsMuchAfterALongCopyAsBeforeIt) {
  std::vector<KernelStatistics> launches;
  SimOptions options = parse_sim_options("sim:fermi-c2050");
  options.on_launch = [&](const std::string&, const KernelStatistics& figures) { launches.push_back(figures); };
  const auto device = make_sim_device(std::move(options));
  const std::string text =
      ".version 6.0\n.target sm_30\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
      ".reg .u64 %p, %q; .reg .u32 %t;\nld.param.u64 %p, [a];\nmov.u32 %t, %ctaid.x;\n"
      "mul.wide.u32 %q, %t, 4096;\nadd.u64 %p, %p, %q;\nmov.u32 %t, %tid.x;\nmul.wide.u32 %q, %t, 16;\n"
      "add.u64 %p, %p, %q;\nld.global.u32 %t, [%p];\nst.global.u32 [%p+4], %t;\nret;\n}\n";
  const auto module = device->load(std::make_shared<const ptx::Module>(ptx::parse(text, "k")), {});
  constexpr std::size_t bytes = 1 << 20;
  const auto there = device->allocate(bytes), here = device->allocate_host(bytes);
  const auto queue = device->queue({});
  const std::uint64_t address = there->span().address;
  std::vector<std::byte> arguments(sizeof address);
  std::memcpy(arguments.data(), &address, sizeof address);
  for (int i = 0; i < 3; ++i) {
    queue->copy(there->span(), here->span());
    queue->launch(module->function("k"), {.grid = {bytes / 4096}, .block = {256}}, {0, bytes / 4096}, arguments);
  }
  queue->synchronize();
  ASSERT_EQ(launches.size(), 3u);
  for (const KernelStatistics& launch : launches) {
    EXPECT_LE(launch.memory.cycles, launch.cycles() + 10'000u);
    // Later launches also write back what those before have left in the caches.
    EXPECT_NEAR(launch.memory.dram_utilisation(), launches[2].memory.dram_utilisation(), 0.15);
    EXPECT_GT(launch.memory.dram_utilisation(), 0.1);
  }
}

// `heddle devices` measures links so: a copy of a queue that is made late takes its time, too.
TEST(Figures, ACopyOfALaterQueueTakesItsTime) {
  const auto device = make_sim_device(parse_sim_options("sim:fermi-gtx480"));
  const CopyEngines engines = parse_sim_options("sim:fermi-gtx480").machine.copies;
  const auto there = device->allocate(1 << 20), here = device->allocate_host(1 << 20);
  for (int round = 0; round < 2; ++round) {
    const auto queue = device->queue({});
    const std::uint64_t begin = device->clock().now_ns();
    queue->copy(there->span(), here->span());
    queue->synchronize();
    const double taken = static_cast<double>(device->clock().now_ns() - begin);
    EXPECT_NEAR(taken, engines.latency_us * 1000 + (1 << 20) / engines.to_device_gbs, 2) << round;
  }
}

TEST(Figures, ALaunchWithoutBlocksHasNone) { EXPECT_TRUE(run("sim:hopper-h100", "", 32, 0).empty()); }

}  // namespace
}  // namespace heddle::device::sim
