// Usage: dwf [--page FILE] [--verbose] [--items THREADS] [--rounds ITEMS-OF-A-THREAD] [--kernels NAME,...]
//            [--skip NUMBER-OF-TABLES] [--parts NUMBER-OF-TABLES]
// Dynamic Warp Formation on the machine of its paper, of which one core and its share of the memory is simulated.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "page.hpp"
#include "runner.hpp"
#include "support/results.hpp"
#include "tables.hpp"

namespace {

using namespace heddle::bench;
using namespace heddle::bench::sim_policies;

const std::string formed = ",divergence=dwf,lanes=swizzle";
const char* const orders[] = {"majority", "minority", "timestamp", "pc", "pdom-priority"};

double cycles(const KernelStatistics& figures) { return static_cast<double>(figures.cycles()); }

// Each kernel with the stack, without reconvergence, with the bound, and with the five orders.
std::string by_policy(Runner& runner, const MachineDescription& machine, Results& results) {
  Table table({"kernel", "PDOM cycles", "SIMD", "NREC", "MIMD", "ITS", "TBC", "majority", "minority", "timestamp", "pc",
               "pdom-priority", "SIMD, majority", "transactions, PDOM and majority"});
  std::vector<double> nrec, mimd, its, tbc;
  std::vector<std::vector<double>> gains(std::size(orders));
  const auto row = [&](const Workload& workload, bool counts) {
    const KernelStatistics base = runner.run(machine, "", workload, 768);
    std::vector<std::string> cells{std::string(workload.kernel), fmt::format("{}", base.cycles()),
                                   number(100 * base.simd_efficiency(), 1) + " %"};
    const auto against = [&](const std::string& policies) {
      const KernelStatistics other = runner.run(machine, policies, workload, 768);
      cells.push_back(number(cycles(base) / cycles(other)));
      return other;
    };
    const double n = cycles(base) / cycles(against(",divergence=nrec")),
                 m = cycles(base) / cycles(against(",divergence=mimd")),
                 i = cycles(base) / cycles(against(",divergence=its")),
                 t = cycles(base) / cycles(against(",divergence=tbc,lanes=swizzle"));
    KernelStatistics majority;
    for (std::size_t i = 0; i < std::size(orders); ++i) {
      const KernelStatistics other = against(formed + ",formation=" + orders[i]);
      if (i == 0) majority = other;
      if (counts) gains[i].push_back(cycles(base) / cycles(other));
    }
    if (counts) {
      nrec.push_back(n);
      mimd.push_back(m);
      its.push_back(i);
      tbc.push_back(t);
    }
    cells.push_back(number(100 * majority.simd_efficiency(), 1) + " %");
    cells.push_back(fmt::format("{:.2f}, {:.2f}", base.memory.sm.transactions_per_access(),
                                majority.memory.sm.transactions_per_access()));
    table.add(cells);
  };
  for (const Workload& workload : divergent()) row(workload, true);
  for (const Workload& workload : regular()) row(workload, false);
  for (const Workload& workload : counter_examples()) row(workload, false);
  std::vector<std::string> mean{"harmonic mean, divergent",
                                "",
                                "",
                                number(harmonic_mean(nrec)),
                                number(harmonic_mean(mimd)),
                                number(harmonic_mean(its)),
                                number(harmonic_mean(tbc))};
  for (std::size_t i = 0; i < std::size(orders); ++i) {
    mean.push_back(number(harmonic_mean(gains[i])));
    Result result{fmt::format("DWF {} over PDOM, 768 threads", orders[i]), harmonic_mean(gains[i]), "x", {}, "PDOM"};
    if (i == 0) result.bar = at_least(1.25);
    results.add(result);
  }
  mean.insert(mean.end(), {"", ""});
  table.add(mean);
  return table.text();
}

std::string by_threads(Runner& runner, const MachineDescription& machine, Results& results) {
  Table table({"threads of a core", "DWF over PDOM", "paper"});
  const std::pair<unsigned, const char*> sizes[] = {{128, "0.96"}, {256, "1.13"}, {384, "1.22"},
                                                    {512, "1.24"}, {640, "1.37"}, {768, "1.47"}};
  for (const auto& [threads, paper] : sizes) {
    std::vector<double> gains;
    for (const Workload& workload : divergent())
      gains.push_back(cycles(runner.run(machine, "", workload, threads)) /
                      cycles(runner.run(machine, formed, workload, threads)));
    table.add({std::to_string(threads), number(harmonic_mean(gains)), paper});
    results.add({fmt::format("DWF over PDOM, {} threads", threads), harmonic_mean(gains), "x", {}, "PDOM"});
  }
  return table.text();
}

// What the hardware costs, and what it would be without its limits.
std::string by_hardware(Runner& runner, const MachineDescription& machine, Results& results) {
  Table table({"hardware", "DWF over PDOM, 768 threads"});
  const std::pair<const char*, std::string> variants[] = {
      {"lane-aware, swizzled", formed},
      {"without swizzling", ",divergence=dwf,lanes=identity"},
      {"registers of any lane", formed + ",register-file=ideal"},
      {"any lane, with conflicts of banks", formed + ",register-file=crossbar"},
      {"heap with 2 ports", formed + ",heap-ports=2"},
      {"heap with 1 port", formed + ",heap-ports=1"},
      {"pool of 32 warps", formed + ",pool=32"},
      {"table of 16 places", formed + ",lut-entries=16"}};
  for (const auto& [name, policies] : variants) {
    std::vector<double> gains;
    for (const Workload& workload : divergent())
      gains.push_back(cycles(runner.run(machine, "", workload, 768)) /
                      cycles(runner.run(machine, policies, workload, 768)));
    table.add({name, number(harmonic_mean(gains))});
    results.add({fmt::format("DWF, {}", name), harmonic_mean(gains), "x", {}, "PDOM"});
  }
  return table.text();
}

// One core. Compiled for today's instructions, kernels need more registers than the paper's 8,192 for 768 threads.
MachineDescription core() {
  MachineDescription machine = part_of("dwf-g80", 1);
  machine.residency.registers = 64 * 1024;
  return machine;
}

// The same on a machine with the memory of Fermi's kind: small caches with long lines.
std::string other_memory(Runner& runner, const MachineDescription&, Results& results) {
  MachineDescription machine = core();
  const MachineDescription fermi = part_of("sbi-fermi", 1);
  machine.l1 = fermi.l1;
  machine.l1.bytes = 16 * 1024;
  machine.l1.ways = 4;
  Table table({"kernel", "512 KB, lines of 64 bytes", "16 KB, lines of 128 bytes"});
  std::vector<double> own, common;
  const MachineDescription paper = core();
  for (const Workload& workload : divergent()) {
    own.push_back(cycles(runner.run(paper, "", workload, 768)) / cycles(runner.run(paper, formed, workload, 768)));
    common.push_back(cycles(runner.run(machine, "", workload, 768)) /
                     cycles(runner.run(machine, formed, workload, 768)));
    table.add({std::string(workload.kernel), number(own.back()), number(common.back())});
  }
  table.add({"harmonic mean", number(harmonic_mean(own)), number(harmonic_mean(common))});
  results.add({"DWF over PDOM, small L1", harmonic_mean(common), "x", {}, "PDOM"});
  return table.text();
}

}  // namespace

int main(int argc, char** argv) {
  return make_tables(argc, argv, "dwf", core(),
                     {{"Speed-up over the stack, 768 threads of a core", by_policy},
                      {"By threads of a core", by_threads},
                      {"By hardware", by_hardware},
                      {"With another L1", other_memory}});
}
