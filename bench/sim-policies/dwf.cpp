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

// Kernels with a policy and with the stack, and two means of their speed-ups.
class Comparison {
 public:
  void add(const KernelStatistics& base, const KernelStatistics& other) {
    gains_.push_back(cycles(base) / cycles(other));
    base_ipc_.push_back(base.ipc());
    ipc_.push_back(other.ipc());
  }
  // The mean of speed-ups.
  double of_gains() const { return harmonic_mean(gains_); }
  // The paper's mean ("HM" in its figures 5 and 13): of all programs together, the harmonic means of instructions a
  // cycle are compared. Programs with few instructions a cycle weigh most.
  double of_ipc() const { return harmonic_mean(ipc_) / harmonic_mean(base_ipc_); }
  double ipc() const { return harmonic_mean(ipc_); }

 private:
  std::vector<double> gains_, base_ipc_, ipc_;
};

// All divergent kernels with these policies over the stack of the same machine.
Comparison compare(Runner& runner, const MachineDescription& machine, const std::string& policies, unsigned threads,
                   const std::string& baseline = "") {
  Comparison comparison;
  for (const Workload& workload : divergent())
    comparison.add(runner.run(machine, baseline, workload, threads), runner.run(machine, policies, workload, threads));
  return comparison;
}

std::vector<std::pair<std::string, std::string>> all_policies() {
  std::vector<std::pair<std::string, std::string>> policies = {{"NREC", ",divergence=nrec"},
                                                               {"MIMD", ",divergence=mimd"},
                                                               {"ITS", ",divergence=its"},
                                                               {"TBC", ",divergence=tbc,lanes=swizzle"}};
  for (const char* order : orders) policies.emplace_back(order, formed + ",formation=" + order);
  return policies;
}

Chart means_chart(const std::vector<std::pair<std::string, std::string>>& policies,
                  const std::vector<Comparison>& means) {
  Chart chart{"Divergent kernels, 768 threads, over the stack",
              {},
              {{"ratio of mean IPC", "#4e79a7", {}}, {"mean of speed-ups", "#f28e2b", {}}},
              1};
  for (std::size_t i = 0; i < policies.size(); ++i) {
    chart.groups.push_back(policies[i].first);
    chart.series[0].values.push_back(means[i].of_ipc());
    chart.series[1].values.push_back(means[i].of_gains());
  }
  return chart;
}

// Each kernel with the stack, without reconvergence, with the bound, and with the five orders.
std::string by_policy(Runner& runner, const MachineDescription& machine, Output& out) {
  const auto policies = all_policies();
  std::vector<std::string> head{"kernel", "PDOM cycles", "IPC", "SIMD"};
  for (const auto& policy : policies) head.push_back(policy.first);
  head.insert(head.end(), {"SIMD, majority", "transactions, PDOM and majority"});
  Table table(head);
  std::vector<Comparison> means(policies.size());
  Chart chart{"Speed-up over the stack, 768 threads",
              {},
              {{"majority", "#4e79a7", {}}, {"pdom-priority", "#f28e2b", {}}, {"MIMD", "#bab0ac", {}}},
              1};
  const auto row = [&](const Workload& workload, bool counts) {
    const KernelStatistics base = runner.run(machine, "", workload, 768);
    std::vector<std::string> cells{std::string(workload.kernel), fmt::format("{}", base.cycles()), number(base.ipc()),
                                   number(100 * base.simd_efficiency(), 1) + " %"};
    KernelStatistics majority;
    chart.groups.push_back(std::string(workload.kernel));
    for (std::size_t i = 0; i < policies.size(); ++i) {
      const KernelStatistics other = runner.run(machine, policies[i].second, workload, 768);
      cells.push_back(number(cycles(base) / cycles(other)));
      if (counts) means[i].add(base, other);
      if (policies[i].first == "majority") majority = other;
      for (auto& series : chart.series)
        if (series.name == policies[i].first) series.values.push_back(cycles(base) / cycles(other));
    }
    cells.push_back(number(100 * majority.simd_efficiency(), 1) + " %");
    cells.push_back(fmt::format("{:.2f}, {:.2f}", base.memory.sm.transactions_per_access(),
                                majority.memory.sm.transactions_per_access()));
    table.add(cells);
  };
  for (const Workload& workload : divergent()) row(workload, true);
  for (const Workload& workload : regular()) row(workload, false);
  for (const Workload& workload : counter_examples()) row(workload, false);
  std::vector<std::string> of_ipc{"divergent, ratio of harmonic means of IPC", "", "", ""},
      of_gains{"divergent, harmonic mean of speed-ups", "", "", ""};
  for (std::size_t i = 0; i < policies.size(); ++i) {
    of_ipc.push_back(number(means[i].of_ipc()));
    of_gains.push_back(number(means[i].of_gains()));
    Result result{fmt::format("{} over PDOM, 768 threads, the paper's mean", policies[i].first),
                  means[i].of_ipc(),
                  "x",
                  {},
                  "PDOM"};
    if (policies[i].first == "majority") result.bar = at_least(1.25);
    out.results.add(result);
    out.results.add({fmt::format("{} over PDOM, 768 threads, mean of speed-ups", policies[i].first),
                     means[i].of_gains(),
                     "x",
                     {},
                     "PDOM"});
  }
  for (auto* row_of : {&of_ipc, &of_gains}) {
    row_of->insert(row_of->end(), {"", ""});
    table.add(*row_of);
  }
  out.charts.insert(out.charts.end(), {means_chart(policies, means), chart});
  return table.text();
}

std::string by_threads(Runner& runner, const MachineDescription& machine, Output& out) {
  Table table({"threads of a core", "DWF over PDOM, the paper's mean", "mean of speed-ups",
               "MIMD over PDOM, the paper's mean", "paper, DWF"});
  const std::pair<unsigned, const char*> sizes[] = {{128, "0.96"}, {256, "1.13"}, {384, "1.22"},
                                                    {512, "1.24"}, {640, "1.37"}, {768, "1.47"}};
  Chart chart{"Formed warps over the stack, by threads of a core",
              {},
              {{"here, ratio of mean IPC", "#4e79a7", {}},
               {"paper", "#bab0ac", {0.96, 1.13, 1.22, 1.24, 1.37, 1.47}},
               {"here, mean of speed-ups", "#f28e2b", {}}},
              1};
  for (const auto& [threads, paper] : sizes) {
    const Comparison formed_warps = compare(runner, machine, formed, threads),
                     bound = compare(runner, machine, ",divergence=mimd", threads);
    table.add({std::to_string(threads), number(formed_warps.of_ipc()), number(formed_warps.of_gains()),
               number(bound.of_ipc()), paper});
    chart.groups.push_back(std::to_string(threads));
    chart.series[0].values.push_back(formed_warps.of_ipc());
    chart.series[2].values.push_back(formed_warps.of_gains());
    out.results.add({fmt::format("DWF over PDOM, {} threads", threads), formed_warps.of_ipc(), "x", {}, "PDOM"});
  }
  out.charts.push_back(chart);
  return table.text();
}

// What the hardware costs, and what it would be without its limits.
std::string by_hardware(Runner& runner, const MachineDescription& machine, Output& out) {
  Table table({"hardware", "DWF over PDOM, the paper's mean", "paper", "mean of speed-ups"});
  struct Variant {
    const char *name, *paper;
    std::string policies;
  };
  const Variant variants[] = {{"eight lanes of four threads, a heap that is in order at once", "1.56", formed},
                              {"the same, a heap with 2 ports", "1.47", formed + ",heap-ports=2"},
                              {"the same, a heap with 1 port", "", formed + ",heap-ports=1"},
                              {"registers of any lane", "1.66", formed + ",register-file=ideal"},
                              {"32 homes", "", formed + ",home-lanes=32"},
                              {"without swizzling", "", ",divergence=dwf,lanes=identity"},
                              {"any lane, with conflicts of banks", "", formed + ",register-file=crossbar"},
                              {"pool of 32 warps", "", formed + ",pool=32"},
                              {"table of 16 places", "", formed + ",lut-entries=16"}};
  for (const auto& [name, paper, policies] : variants) {
    const Comparison comparison = compare(runner, machine, policies, 768);
    table.add({name, number(comparison.of_ipc()), paper, number(comparison.of_gains())});
    out.results.add({fmt::format("DWF, {}", name), comparison.of_ipc(), "x", {}, "PDOM"});
  }
  return table.text();
}

// Warps of fewer threads take less time on the same lanes (section 6.6 of the paper).
std::string by_width(Runner& runner, const MachineDescription& machine, Output& out) {
  Table table({"threads of a warp", "PDOM, IPC", "DWF, IPC", "DWF over PDOM"});
  for (const unsigned width : {8u, 16u, 32u}) {
    const std::string narrow = fmt::format(",warp-width={}", width);
    const Comparison stack = compare(runner, machine, narrow, 768),
                     formed_warps = compare(runner, machine, formed + narrow + ",pool=1024", 768, narrow);
    table.add({std::to_string(width), number(stack.ipc()), number(formed_warps.ipc()), number(formed_warps.of_ipc())});
    out.results.add({fmt::format("PDOM, warps of {}", width), stack.ipc(), "IPC", {}, ""});
    out.results.add({fmt::format("DWF, warps of {}", width), formed_warps.ipc(), "IPC", {}, ""});
  }
  return table.text();
}

// Without reconvergence threads are together again where the next parallel section begins, with the stack earlier. So
// what NREC loses depends on the length of the sections after the first branch.
std::string by_section(Runner& runner, const MachineDescription& machine, Output& out) {
  Table table({"section", "PDOM, IPC", "SIMD, PDOM", "SIMD, NREC", "NREC over PDOM", "MIMD over PDOM"});
  const std::pair<const char*, Workload> sections[] = {
      {"bitonic, a step", {"bitonic_step", "divergent", true}},
      {"bitonic, all 28 steps, with barriers", {"bitonic", "divergent", true}},
      {"hmm, a step", {"hmm_1", "divergent", true}},
      {"hmm, 4 steps", {"hmm_4", "divergent", true}},
      {"hmm, 24 steps", {"hmm", "divergent", true}}};
  for (const auto& [name, workload] : sections) {
    const KernelStatistics base = runner.run(machine, "", workload, 768),
                           apart = runner.run(machine, ",divergence=nrec", workload, 768),
                           bound = runner.run(machine, ",divergence=mimd", workload, 768);
    table.add({name, number(base.ipc()), number(100 * base.simd_efficiency(), 1) + " %",
               number(100 * apart.simd_efficiency(), 1) + " %", number(cycles(base) / cycles(apart)),
               number(cycles(base) / cycles(bound))});
    out.results.add({fmt::format("NREC over PDOM, {}", name), cycles(base) / cycles(apart), "x", {}, "PDOM"});
  }
  return table.text();
}

// What the paper's tables II and IV say of each program: traffic is the product of accesses and misses, and accesses
// are a program's own, so that a speed-up is the ratio of utilisations over that of miss rates.
std::string of_the_paper(Runner&, const MachineDescription&, Output&) {
  struct Program {
    const char* name;
    double pdom, dwf, mimd, pdom_misses, dwf_misses, mimd_misses;
  };
  const Program programs[] = {
      {"HMMer", 57.47, 63.61, 64.42, 13.21, 5.03, 3.73},     {"LBM", 94.71, 95.04, 95.07, 13.55, 13.57, 13.36},
      {"Black-Scholes", 8.18, 6.47, 8.30, 0.21, 0.21, 0.21}, {"Bitonic", 50.94, 71.02, 81.21, 3.86, 3.84, 3.83},
      {"FFT", 75.43, 74.89, 81.49, 11.77, 12.53, 12.06},     {"LU", 0.84, 1.47, 1.58, 0.03, 0.04, 0.04},
      {"Matrix", 84.02, 63.71, 99.23, 5.72, 4.23, 5.26}};
  Table table({"program of the paper", "DWF over PDOM", "MIMD over PDOM"});
  std::vector<double> dwf, mimd;
  for (const Program& p : programs) {
    dwf.push_back(p.dwf / p.pdom * p.pdom_misses / p.dwf_misses);
    mimd.push_back(p.mimd / p.pdom * p.pdom_misses / p.mimd_misses);
    table.add({p.name, number(dwf.back()), number(mimd.back())});
  }
  table.add({"harmonic mean of speed-ups", number(harmonic_mean(dwf)), number(harmonic_mean(mimd))});
  table.add({"ratio of harmonic means of IPC, as the paper has it", "1.47", "1.66"});
  return table.text();
}

// One core. Compiled for today's instructions, kernels need more registers than the paper's 8,192 for 768 threads.
MachineDescription core() {
  MachineDescription machine = part_of("dwf-g80", 1);
  machine.residency.registers = 64 * 1024;
  return machine;
}

// The same on a machine with the memory of Fermi's kind: small caches with long lines.
std::string other_memory(Runner& runner, const MachineDescription&, Output& out) {
  MachineDescription machine = core();
  const MachineDescription fermi = part_of("sbi-fermi", 1);
  machine.l1 = fermi.l1;
  machine.l1.bytes = 16 * 1024;
  machine.l1.ways = 4;
  Table table({"kernel", "512 KB, lines of 64 bytes", "16 KB, lines of 128 bytes"});
  Comparison own, common;
  const MachineDescription paper = core();
  for (const Workload& workload : divergent()) {
    const KernelStatistics base = runner.run(paper, "", workload, 768), with = runner.run(paper, formed, workload, 768),
                           other_base = runner.run(machine, "", workload, 768),
                           other_with = runner.run(machine, formed, workload, 768);
    own.add(base, with);
    common.add(other_base, other_with);
    table.add({std::string(workload.kernel), number(cycles(base) / cycles(with)),
               number(cycles(other_base) / cycles(other_with))});
  }
  table.add({"the paper's mean", number(own.of_ipc()), number(common.of_ipc())});
  table.add({"mean of speed-ups", number(own.of_gains()), number(common.of_gains())});
  out.results.add({"DWF over PDOM, small L1", common.of_ipc(), "x", {}, "PDOM"});
  return table.text();
}

}  // namespace

int main(int argc, char** argv) {
  return make_tables(argc, argv,
                     {.name = "dwf",
                      .machine = core(),
                      .parts = {{"The paper's programs, from its tables II and IV", of_the_paper},
                                {"Speed-up over the stack, 768 threads of a core", by_policy},
                                {"By threads of a core", by_threads},
                                {"By hardware", by_hardware},
                                {"Without reconvergence, by length of sections", by_section},
                                {"By threads of a warp", by_width},
                                {"With another L1", other_memory}},
                      .quick_items = 768});
}
