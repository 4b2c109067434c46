// Simultaneous branch and warp interweaving on the machine of its paper, and all policies on one machine.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "page.hpp"
#include "runner.hpp"
#include "support/results.hpp"
#include "support/statistics.hpp"
#include "tables.hpp"

namespace {

using namespace heddle::bench;
using namespace heddle::bench::sim_policies;
using heddle::device::sim::PolicyEvent;

double cycles(const KernelStatistics& figures) { return static_cast<double>(figures.cycles()); }

const std::string sbi = ",issue=sbi", swi = ",issue=swi,lanes=xor-rev", both = ",issue=sbi+swi,lanes=xor-rev";

std::string by_policy(Runner& runner, const MachineDescription& machine, Results& results) {
  Table table({"kernel", "IPC", "IPC, 64 wide", "class", "TF, 64 wide", "SBI", "SWI", "SBI+SWI"});
  const std::string variants[] = {",issue=wide", sbi, swi, both};
  const char* const names[] = {"TF", "SBI", "SWI", "SBI+SWI"};
  const double irregular_bars[] = {0, 1.25, 1.2, 1.25}, regular_bars[] = {0, 0, 1.1, 0};
  std::vector<std::vector<double>> irregular(4), even(4);
  const auto row = [&](const Workload& workload) {
    const KernelStatistics base = runner.run(machine, "", workload);
    std::vector<std::string> cells{std::string(workload.kernel), number(base.ipc(), 1)};
    bool is_regular = true, counts = true;
    for (std::size_t i = 0; i < std::size(variants); ++i) {
      const KernelStatistics other = runner.run(machine, variants[i], workload);
      if (i == 0) {
        is_regular = other.ipc() > 30;  // the paper's rule
        // Threads that part never meet on the stack: as with the paper's TMD, the means would show little else.
        counts = cycles(base) < 2 * cycles(other);
        cells.push_back(number(other.ipc(), 1));
        cells.push_back(!counts ? "no joins" : is_regular ? "regular" : "irregular");
      }
      cells.push_back(number(cycles(base) / cycles(other), 3));
      if (counts) (is_regular ? even : irregular)[i].push_back(cycles(base) / cycles(other));
    }
    table.add(cells);
  };
  for (const Workload& workload : divergent()) row(workload);
  for (const Workload& workload : regular()) row(workload);
  for (const bool is_regular : {false, true}) {
    std::vector<std::string> mean{is_regular ? "geometric mean, regular" : "geometric mean, irregular", "", "", ""};
    for (std::size_t i = 0; i < 4; ++i) {
      const auto& of = is_regular ? even[i] : irregular[i];
      if (of.empty()) {
        mean.push_back("");
        continue;
      }
      mean.push_back(number(geometric_mean(of), 3));
      Result result{
          fmt::format("{}, {}", names[i], is_regular ? "regular" : "irregular"), geometric_mean(of), "x", {}, "stack"};
      const double bar = is_regular ? regular_bars[i] : irregular_bars[i];
      if (bar != 0) result.bar = at_least(bar);
      results.add(result);
    }
    table.add(mean);
  }
  return table.text();
}

// Constraints, slots and look-up.
std::string by_option(Runner& runner, const MachineDescription& machine, Results& results) {
  Table table({"policy", "over the stack, divergent kernels", "instructions issued"});
  const std::pair<const char*, std::string> variants[] = {
      {"SBI", sbi},
      {"SBI, no constraints", sbi + ",constraints=off"},
      {"SBI, constraints by dominators", sbi + ",divide=dominator"},
      {"SBI, second slot for its warp alone", sbi + ",slot2=same-warp"},
      {"SBI, cold contexts are not exchanged", sbi + ",exchange=off"},
      {"SBI, places as in the text", sbi + ",layout=asis"},
      {"SWI, all warps", swi},
      {"SWI, 4 ways", swi + ",ways=4"},
      {"SWI, direct-mapped", swi + ",ways=1"},
      {"SWI, identity", ",issue=swi,lanes=identity"},
      {"SWI, mirror-odd", ",issue=swi,lanes=mirror-odd"},
      {"SWI, mirror-half", ",issue=swi,lanes=mirror-half"},
      {"SWI, xor", ",issue=swi,lanes=xor"},
      {"SBI+SWI", both},
      {"SBI+SWI, no constraints", both + ",constraints=off"}};
  for (const auto& [name, policies] : variants) {
    std::vector<double> gains, issued;
    for (const Workload& workload : divergent()) {
      const KernelStatistics base = runner.run(machine, "", workload), other = runner.run(machine, policies, workload);
      gains.push_back(cycles(base) / cycles(other));
      issued.push_back(static_cast<double>(other.sm.warp_instructions) /
                       static_cast<double>(base.sm.warp_instructions));
    }
    table.add({name, number(geometric_mean(gains), 3), number(geometric_mean(issued), 3)});
    results.add({fmt::format("{}, divergent", name), geometric_mean(gains), "x", {}, "stack"});
  }
  return table.text();
}

// All policies on one machine with as many lanes, threads and instructions fetched a cycle: SH6, which no paper has.
std::string head_to_head(Runner& runner, const MachineDescription& machine, Results& results) {
  const std::pair<const char*, std::string> policies[] = {
      {"PDOM", ""},
      {"NREC", ",divergence=nrec"},
      {"MIMD, bound", ",divergence=mimd"},
      {"ITS", ",divergence=its"},
      {"TF, 32 wide", ",divergence=tf"},
      {"TF, 64 wide", ",issue=wide"},
      {"DWF majority", ",divergence=dwf,lanes=swizzle"},
      {"DWF pdom-priority", ",divergence=dwf,lanes=swizzle,formation=pdom-priority"},
      {"TBC", ",divergence=tbc,lanes=swizzle"},
      {"SBI", sbi},
      {"SWI", swi},
      {"SBI+SWI", both},
      {"VT", ",residency=virtual-thread,memory-queue=active-first"},
      {"TF+VT", ",divergence=tf,residency=virtual-thread,memory-queue=active-first"}};
  Table table({"policy", "speed-up, divergent", "speed-up, regular", "SIMD, divergent", "transactions an access",
               "warp instructions"});
  for (const auto& [name, with] : policies) {
    std::vector<double> gains, even, simd, transactions, issued;
    for (const Workload& workload : divergent()) {
      const KernelStatistics base = runner.run(machine, "", workload), other = runner.run(machine, with, workload);
      gains.push_back(cycles(base) / cycles(other));
      simd.push_back(other.simd_efficiency());
      transactions.push_back(other.memory.sm.transactions_per_access() / base.memory.sm.transactions_per_access());
      issued.push_back(static_cast<double>(other.sm.warp_instructions) /
                       static_cast<double>(base.sm.warp_instructions));
    }
    for (const Workload& workload : regular())
      even.push_back(cycles(runner.run(machine, "", workload)) / cycles(runner.run(machine, with, workload)));
    table.add({name, number(geometric_mean(gains), 3), number(geometric_mean(even), 3),
               number(100 * geometric_mean(simd), 1) + " %", number(geometric_mean(transactions), 2),
               number(geometric_mean(issued), 2)});
    results.add({fmt::format("{} on one machine, divergent", name), geometric_mean(gains), "x", {}, "PDOM"});
  }
  return table.text();
}

}  // namespace

int main(int argc, char** argv) {
  return make_tables(
      argc, argv, "sbi-swi", part_of("sbi-fermi", 1),
      {{"Speed-up over the stack", by_policy}, {"By option", by_option}, {"All policies on one machine", head_to_head}},
      4096);  // four times the threads that an SM holds, so that its end weighs less
}
