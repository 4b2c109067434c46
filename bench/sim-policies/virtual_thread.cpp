// Virtual Thread on the machine of its paper, of which one SM and its share of the memory is simulated.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "device/sim/policies/virtual_thread/occupancy.hpp"
#include "page.hpp"
#include "runner.hpp"
#include "support/results.hpp"
#include "support/statistics.hpp"
#include "tables.hpp"

namespace {

using namespace heddle::bench;
using namespace heddle::bench::sim_policies;
using heddle::device::sim::PolicyEvent;

const std::string virtual_threads = ",residency=virtual-thread,memory-queue=active-first";

double cycles(const KernelStatistics& figures) { return static_cast<double>(figures.cycles()); }

// The mean over kernels with blocks of so many threads; 0: of all.
double some_mean(const std::vector<double>& of, unsigned threads) {
  std::vector<double> some;
  for (std::size_t i = 0; i < of.size(); ++i)
    if (threads == 0 || scheduling_limited()[i].threads == threads) some.push_back(of[i]);
  return some.empty() ? 1 : geometric_mean(some);
}

Chart kernels_chart(const std::vector<double>& virtual_thread, const std::vector<double>& max) {
  Chart chart{"Speed-up over the baseline, by kernel and threads of a block",
              {},
              {{"VT", "#4e79a7", {}}, {"MAX", "#bab0ac", {}}},
              1};
  for (std::size_t i = 0; i < virtual_thread.size(); ++i) {
    chart.groups.push_back(fmt::format("{}, {}", scheduling_limited()[i].kernel, scheduling_limited()[i].threads));
    chart.series[0].values.push_back(virtual_thread[i]);
    chart.series[1].values.push_back(max[i]);
  }
  return chart;
}

// H5: the paper's kernels without a gain.
void add_kernels_without_gain(Runner& runner, const MachineDescription& machine, Output& out) {
  std::vector<Workload> small(scheduling_limited().begin(), scheduling_limited().end());
  for (const unsigned threads : {128u, 256u}) small.push_back({"sorting_network", "irregular", false, threads, 8192});
  for (const char* kernel : {"bfs", "path_finder", "sorting_network"}) {
    std::vector<double> of_kernel;
    for (const Workload& workload : small)
      if (workload.kernel == kernel)
        of_kernel.push_back(cycles(runner.run(machine, "", workload)) /
                            cycles(runner.run(machine, virtual_threads, workload)));
    if (!of_kernel.empty())
      out.results.add({fmt::format("VT on {}", kernel), geometric_mean(of_kernel), "x", at_most(1.05), "baseline"});
  }
  for (const Workload& workload : capacity_limited()) {
    const double base = cycles(runner.run(machine, "", workload));
    const double other = cycles(runner.run(machine, ",residency=virtual-thread", workload));
    out.results.add(
        {fmt::format("VT on {}, type C", workload.kernel), std::abs(base / other - 1), "", at_most(0.005), "baseline"});
  }
}

std::string by_policy(Runner& runner, const MachineDescription& machine, Output& out) {
  Table table({"kernel, threads of a block", "cycles", "Mascar", "VT", "MAX", "VT without cost", "VT without queues",
               "finereg", "swaps"});
  const std::string variants[] = {",memory-queue=mascar",
                                  virtual_threads,
                                  ",residency=max,memory-queue=mascar",
                                  virtual_threads + ",context-bits=0",
                                  ",residency=virtual-thread",
                                  ",residency=finereg,memory-queue=active-first"};
  std::vector<std::vector<double>> gains(std::size(variants));
  const auto row = [&](const Workload& workload, bool counts) {
    const KernelStatistics base = runner.run(machine, "", workload);
    std::vector<std::string> cells{fmt::format("{}, {}", workload.kernel, workload.threads),
                                   fmt::format("{}", base.cycles())};
    std::uint64_t swaps = 0;
    for (std::size_t i = 0; i < std::size(variants); ++i) {
      const KernelStatistics other = runner.run(machine, variants[i], workload);
      cells.push_back(number(cycles(base) / cycles(other), 3));
      if (counts) gains[i].push_back(cycles(base) / cycles(other));
      if (i == 1) swaps = other.sm.policy[PolicyEvent::swaps_out];
    }
    cells.push_back(fmt::format("{}", swaps));
    table.add(cells);
  };
  for (const Workload& workload : scheduling_limited()) row(workload, true);
  Chart means{"Geometric means by threads of a block, over the baseline",
              {},
              {{"VT", "#4e79a7", {}}, {"MAX", "#bab0ac", {}}, {"finereg", "#59a14f", {}}, {"paper, VT", "#e15759", {}}},
              1};
  for (const unsigned threads : {64u, 128u, 256u, 0u}) {
    std::vector<std::string> mean{threads != 0 ? fmt::format("geometric mean, {}", threads) : "geometric mean, type S",
                                  ""};
    for (const auto& of : gains) mean.push_back(number(some_mean(of, threads), 3));
    mean.push_back("");
    table.add(mean);
    means.groups.push_back(threads != 0 ? std::to_string(threads) : "type S");
    for (const std::size_t i : {1u, 2u, 5u})
      means.series[i == 1 ? 0 : i == 2 ? 1 : 2].values.push_back(some_mean(gains[i], threads));
    means.series[3].values.push_back(threads == 0 ? std::optional(1.239) : std::nullopt);
  }
  out.charts.insert(out.charts.end(), {means, kernels_chart(gains[1], gains[2])});
  for (const Workload& workload : capacity_limited()) row(workload, false);
  out.results.add({"VT over the baseline, type S", geometric_mean(gains[1]), "x", at_least(1.15), "baseline"});
  out.results.add({"VT over MAX", geometric_mean(gains[1]) / geometric_mean(gains[2]), "x", at_least(0.95), "MAX"});
  out.results.add({"Mascar over the baseline", geometric_mean(gains[0]), "x", {}, "baseline"});
  out.results.add(
      {"VT without cost over VT", geometric_mean(gains[3]) / geometric_mean(gains[1]), "x", at_most(1.01), "VT"});
  add_kernels_without_gain(runner, machine, out);
  return table.text();
}

std::string by_schedulers(Runner& runner, const MachineDescription& machine, Output& out) {
  Table table({"scheduler", "VT over the baseline with it", "paper"});
  const std::pair<const char*, const char*> schedulers[] = {{"lrr", "1.239"}, {"gto", "1.222"}, {"two-level", "1.239"}};
  for (const auto& [scheduler, paper] : schedulers) {
    std::vector<double> gains;
    for (const Workload& workload : scheduling_limited()) {
      const std::string with = fmt::format(",scheduler={}", scheduler);
      gains.push_back(cycles(runner.run(machine, with, workload)) /
                      cycles(runner.run(machine, with + virtual_threads, workload)));
    }
    table.add({scheduler, number(geometric_mean(gains), 3), paper});
    out.results.add({fmt::format("VT with {}", scheduler), geometric_mean(gains), "x", {}, "baseline"});
  }
  return table.text();
}

std::string by_context(Runner& runner, const MachineDescription& machine, Output&) {
  Table table({"contexts", "VT over the baseline"});
  const std::pair<const char*, const char*> variants[] = {
      {"512 bits a cycle", ""},
      {"256 bits a cycle", ",context-bits=256"},
      {"1,024 bits a cycle", ",context-bits=1024"},
      {"twice the size", ",context-scale=2"},
      {"four times the size", ",context-scale=4"},
      {"warps at barriers do not count as stalled", ",swap=literal"}};
  for (const auto& [name, options] : variants) {
    std::vector<double> gains;
    for (const Workload& workload : scheduling_limited())
      gains.push_back(cycles(runner.run(machine, "", workload)) /
                      cycles(runner.run(machine, virtual_threads + options, workload)));
    table.add({name, number(geometric_mean(gains), 3)});
  }
  return table.text();
}

// H2 and H3: the law of a chain of loads, by the latency of memory and the cost of an exchange, and with little
// bandwidth. Blocks that take turns load as often in the same time as they are more than the 8 active ones, less an
// exchange's share of a load. The port moves one context at a time: where all exchanges do not fit a load, it is the
// limit, and the law says nothing.
std::string by_latency(Runner& runner, const MachineDescription& machine, Output& out) {
  Table table(
      {"memory", "bits a cycle", "cycles of a load", "of an exchange", "blocks", "law", "VT over the baseline"});
  constexpr unsigned threads = 128, warps = threads / 32, loads = 8, active = 8;
  const Workload chain{"warp_chase", "latency", false, threads, 16 * 1024};
  const Workload alone{"warp_chase", "latency", false, threads, threads};
  const auto row = [&](const std::string& name, const MachineDescription& with, unsigned bits, bool wide) {
    const std::string policies = virtual_threads + fmt::format(",context-bits={}", bits);
    const KernelStatistics other = runner.run(with, policies, chain);
    const double gain = cycles(runner.run(with, "", chain)) / cycles(other);
    const double load = cycles(runner.run(with, "", alone)) / loads;
    const double exchange = 2 * static_cast<double>(heddle::device::sim::BlockStateSize{}.cycles(warps, bits));
    const double blocks = static_cast<double>(other.sm.resident_warp_cycles) / (cycles(other) * warps);
    const double law = 2 - exchange / load;
    const bool lawful = wide && active * exchange < load;
    table.add({name, fmt::format("{}", bits), number(load, 0), number(exchange, 0), number(blocks, 1),
               lawful ? number(law, 2) : "", number(gain, 3)});
    if (lawful)
      out.results.add({fmt::format("VT over the law of latency, {}, {} bits", name, bits), gain / law, "x",
                       bits == 512 ? std::optional(at_least(0.9)) : std::nullopt, "law"});
    if (!wide) out.results.add({fmt::format("VT, {}", name), gain, "x", at_most(1.03), "baseline"});
  };
  MachineDescription sixteen = machine;  // blocks: the kernel has 8 registers, and 16 would be the law's
  sixteen.residency.registers /= 2;
  MachineDescription wide = sixteen;
  wide.l1.bytes = wide.l2.bytes = 0;
  wide.dram.bytes_per_clock *= 16;
  wide.dram.model = heddle::device::sim::DramModel::fixed;
  wide.dram.latency += 100;
  for (const unsigned more : {0u, 200u, 400u, 800u}) {
    MachineDescription with = wide;
    with.dram.latency += more;
    row(fmt::format("no caches, wide, {} cycles more", more), with, 512, true);
  }
  for (const unsigned bits : {64u, 32u, 16u, 8u}) row("no caches, wide, 0 cycles more", wide, bits, true);
  for (const unsigned less : {16u, 64u}) {
    MachineDescription narrow = sixteen;
    narrow.l1.bytes = 0;
    narrow.l2.bytes = 0;
    narrow.dram.bytes_per_clock /= less;
    row(fmt::format("no caches, {} of the bandwidth", less == 16 ? "a 16th" : "a 64th"), narrow, 512, false);
  }
  return table.text();
}

}  // namespace

int main(int argc, char** argv) {
  return make_tables(argc, argv,
                     {.name = "virtual-thread",
                      .machine = part_of("fermi-gtx480", 1),
                      .parts = {{"Speed-up over the baseline", by_policy},
                                {"By scheduler", by_schedulers},
                                {"By context", by_context},
                                {"By memory", by_latency}},
                      .quick_items = 4096});
}
