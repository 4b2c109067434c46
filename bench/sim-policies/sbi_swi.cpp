// Simultaneous branch and warp interweaving on the machine of its paper, and all policies on one machine.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <span>
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

constexpr double regular_ipc = 30;  // the paper's rule, of instructions of threads a cycle with warps of 64

// Threads that part never meet on the stack: as with the paper's TMD, the means would show little else.
bool meets(const KernelStatistics& base, const KernelStatistics& wide) { return cycles(base) < 2 * cycles(wide); }

bool parts(const KernelStatistics& base) { return base.simd_efficiency() < 0.99; }
bool fills_warps(const Workload& workload) { return workload.threads >= 64; }

// The SDK's size for a kernel whose time is memory's: at a few thousand words the grid's beginning and end would be
// most of it, in which fewer warps of 64 threads ask for less at a time.
Workload sized(Workload workload) {
  if (workload.kernel == "vector_add") workload.least = 50'000 / 256 * 256 + 256;
  return workload;
}

// Speed-ups by class and policy.
struct Means {
  static constexpr std::size_t policies = 4;
  std::vector<double> irregular[policies], even[policies];
  const std::vector<double>& of(bool is_regular, std::size_t policy) const {
    return is_regular ? even[policy] : irregular[policy];
  }
};

const std::string compared[] = {",issue=wide", sbi, swi, both};
const char* const compared_names[] = {"TF", "SBI", "SWI", "SBI+SWI"};

struct Row {
  bool counts = false, is_regular = false, parts = false, fills_warps = false;
  double gains[Means::policies] = {};
};

Row add_row(Runner& runner, const MachineDescription& machine, const Workload& workload, Table& table, Chart& chart) {
  const KernelStatistics base = runner.run(machine, "", workload);
  const KernelStatistics wide = runner.run(machine, compared[0], workload);
  Row row;
  row.counts = meets(base, wide);
  row.is_regular = wide.ipc() > regular_ipc;
  row.parts = parts(base);
  row.fills_warps = fills_warps(workload);
  std::vector<std::string> cells{std::string(workload.kernel), number(base.ipc(), 1), number(wide.ipc(), 1),
                                 !row.counts      ? "no joins"
                                 : row.is_regular ? "regular"
                                                  : "irregular"};
  if (row.counts) chart.groups.push_back(std::string(workload.kernel));
  for (std::size_t i = 0; i < Means::policies; ++i) {
    row.gains[i] = cycles(base) / cycles(runner.run(machine, compared[i], workload));
    cells.push_back(number(row.gains[i], 3));
    if (row.counts && i > 0) chart.series[i - 1].values.push_back(row.gains[i]);
  }
  table.add(cells);
  return row;
}

template <class Wanted>
Means means_of(const std::vector<Row>& rows, const Wanted& wanted) {
  Means means;
  for (const Row& row : rows)
    for (std::size_t i = 0; row.counts && wanted(row) && i < Means::policies; ++i)
      (row.is_regular ? means.even : means.irregular)[i].push_back(row.gains[i]);
  return means;
}

void add_means(const Means& means, const std::string& of, bool has_bars, Table& table, Output& out) {
  constexpr double bars[][2] = {{0, 0}, {1.25, 0}, {1.2, 1.1}, {1.25, 0}};
  for (const bool is_regular : {false, true}) {
    if (means.of(is_regular, 0).empty()) continue;
    const char* const kind = is_regular ? "regular" : "irregular";
    std::vector<std::string> row{fmt::format("geometric mean, {}{}", kind, of), "", "", ""};
    for (std::size_t i = 0; i < Means::policies; ++i) {
      const double mean = geometric_mean(means.of(is_regular, i));
      row.push_back(number(mean, 3));
      Result result{fmt::format("{}, {}{}", compared_names[i], kind, of), mean, "x", {}, "stack"};
      if (has_bars && bars[i][is_regular] != 0) result.bar = at_least(bars[i][is_regular]);
      out.results.add(result);
    }
    table.add(row);
    if (!is_regular) continue;
    const auto& warps = means.of(true, 2);
    Result least{"SWI, the least of regular" + of, *std::min_element(warps.begin(), warps.end()), "x", {}, "stack"};
    if (has_bars) least.bar = at_least(0.98);
    out.results.add(least);
  }
}

Chart speed_up_chart(const std::string& title) {
  return {title, {}, {{"SBI", "#4e79a7", {}}, {"SWI", "#f28e2b", {}}, {"SBI+SWI", "#59a14f", {}}}, 1};
}

// The suite of the paper, by its names; then the other kernels, and all of them.
std::string by_policy(Runner& runner, const MachineDescription& machine, Output& out) {
  Table table({"kernel", "IPC", "IPC, 64 wide", "class", "TF, 64 wide", "SBI", "SWI", "SBI+SWI"});
  std::vector<Row> rows;
  Chart of_suite = speed_up_chart("The paper's programs: speed-up over the stack"),
        of_others = speed_up_chart("Other kernels");
  const auto any = [](const Row&) { return true; };
  for (const Workload& workload : interweaving_suite())
    rows.push_back(add_row(runner, machine, workload, table, of_suite));
  const Means suite = means_of(rows, any);
  add_means(suite, ", the paper's programs", false, table, out);
  const auto in_suite = [](const Workload& one) {
    return std::any_of(interweaving_suite().begin(), interweaving_suite().end(),
                       [&](const Workload& other) { return other.kernel == one.kernel; });
  };
  std::vector<Row> others;
  for (const auto list : {divergent(), regular()})
    for (const Workload& workload : list)
      if (!in_suite(workload)) others.push_back(add_row(runner, machine, sized(workload), table, of_others));
  add_means(means_of(others, any), ", other kernels", false, table, out);
  rows.insert(rows.end(), others.begin(), others.end());
  const Means all = means_of(rows, any);
  add_means(all, "", true, table, out);
  const Means full = means_of(rows, [](const Row& row) { return row.parts && row.fills_warps; });
  add_means(full, ", threads part and blocks fill warps of 64", false, table, out);
  Chart against{
      "Means of the paper's programs, here and in the paper",
      {"SBI, irregular", "SWI, irregular", "both, irregular", "SBI, regular", "SWI, regular", "both, regular"},
      {{"here", "#4e79a7", {}},
       {"threads part, blocks fill warps", "#f28e2b", {}},
       {"paper", "#bab0ac", {1.41, 1.33, 1.40, 1.15, 1.25, 1.23}}},
      1};
  for (const bool is_regular : {false, true})
    for (std::size_t i = 1; i < Means::policies; ++i) {
      const auto &of = all.of(is_regular, i), &those = full.of(is_regular, i);
      against.series[1].values.push_back(those.empty() ? std::nullopt : std::optional(geometric_mean(those)));
      against.series[0].values.push_back(of.empty() ? std::nullopt : std::optional(geometric_mean(of)));
    }
  out.charts.insert(out.charts.end(), {against, of_suite, of_others});
  return table.text();
}

// Irregular kernels, of the paper's suite and others, whose threads part and meet again, and whose blocks fill warps of
// 64 threads.
std::vector<Workload> irregular_kernels(Runner& runner, const MachineDescription& machine) {
  std::vector<Workload> some;
  const auto add = [&](const Workload& workload) {
    const KernelStatistics base = runner.run(machine, "", workload), wide = runner.run(machine, compared[0], workload);
    const bool known =
        std::any_of(some.begin(), some.end(), [&](const Workload& one) { return one.kernel == workload.kernel; });
    if (!known && wide.ipc() <= regular_ipc && meets(base, wide) && parts(base) && fills_warps(workload))
      some.push_back(workload);
  };
  for (const Workload& workload : interweaving_suite()) add(workload);
  for (const Workload& workload : divergent()) add(workload);
  return some;
}

// Constraints, slots and look-up.
std::string by_option(Runner& runner, const MachineDescription& machine, Output& out) {
  Table table({"policy", "over the stack, divergent kernels", "instructions issued", "irregular kernels",
               "instructions issued"});
  const std::pair<const char*, std::string> variants[] = {
      {"SBI", sbi},
      {"SBI, no constraints", sbi + ",constraints=off"},
      {"SBI, constraints by dominators", sbi + ",divide=dominator"},
      {"SBI, second slot for its warp alone", sbi + ",slot2=same-warp"},
      {"SBI, cold contexts are not exchanged", sbi + ",exchange=off"},
      {"SBI, threads do not part at memory", sbi + ",memory-splits=off"},
      {"SBI, places as in the text", sbi + ",layout=asis"},
      {"SWI, all warps", swi},
      {"SWI, 4 ways", swi + ",ways=4"},
      {"SWI, direct-mapped", swi + ",ways=1"},
      {"SWI, identity", ",issue=swi,lanes=identity"},
      {"SWI, mirror-odd", ",issue=swi,lanes=mirror-odd"},
      {"SWI, mirror-half", ",issue=swi,lanes=mirror-half"},
      {"SWI, xor", ",issue=swi,lanes=xor"},
      {"SWI, any lanes: a bound", swi + ",fit=any"},
      {"SBI+SWI", both},
      {"SBI+SWI, no constraints", both + ",constraints=off"},
      {"SBI+SWI, any lanes: a bound", both + ",fit=any"}};
  const std::vector<Workload> irregular = irregular_kernels(runner, machine);
  for (const auto& [name, policies] : variants) {
    std::vector<std::string> cells{name};
    for (const std::span<const Workload> kernels : {divergent(), std::span<const Workload>(irregular)}) {
      std::vector<double> gains, issued;
      for (const Workload& workload : kernels) {
        const KernelStatistics base = runner.run(machine, "", workload),
                               other = runner.run(machine, policies, workload);
        gains.push_back(cycles(base) / cycles(other));
        issued.push_back(static_cast<double>(other.sm.warp_instructions) /
                         static_cast<double>(base.sm.warp_instructions));
      }
      cells.push_back(gains.empty() ? "" : number(geometric_mean(gains), 3));
      cells.push_back(gains.empty() ? "" : number(geometric_mean(issued), 3));
      if (kernels.data() == divergent().data() && !gains.empty())
        out.results.add({fmt::format("{}, divergent", name), geometric_mean(gains), "x", {}, "stack"});
    }
    table.add(cells);
  }
  return table.text();
}

// Where the slots of both schedulers go on irregular kernels: of each hundred of the stack's slots, so that the sum is
// the time that the policy takes.
std::string by_cause(Runner& runner, const MachineDescription& machine, Output&) {
  using heddle::device::sim::SlotUse;
  const std::pair<SlotUse, const char*> causes[] = {{SlotUse::issue, "issued"},   {SlotUse::pipeline, "units, lanes"},
                                                    {SlotUse::result, "results"}, {SlotUse::control, "branches"},
                                                    {SlotUse::memory, "memory"},  {SlotUse::barrier, "other threads"},
                                                    {SlotUse::idle, "no block"}};
  std::vector<std::string> head{"kernel", "policy", "slots"};
  for (const auto& [use, name] : causes) head.push_back(name);
  head.insert(head.begin() + 4, "of these, replays");
  head.insert(head.end(), {"threads an instruction", "warps"});
  Table table(head);
  const std::pair<const char*, std::string> policies[] = {
      {"stack", ""}, {"TF, 64 wide", compared[0]}, {"SBI", sbi}, {"SWI", swi}, {"SBI+SWI", both}};
  for (const Workload& workload : irregular_kernels(runner, machine)) {
    const double slots = static_cast<double>(runner.run(machine, "", workload).sm.slots);
    for (const auto& [name, with] : policies) {
      const heddle::device::sim::SmStatistics sm = runner.run(machine, with, workload).sm;
      const auto share = [&](std::uint64_t part) { return number(100 * static_cast<double>(part) / slots, 1); };
      std::vector<std::string> cells{std::string(workload.kernel), name, share(sm.slots)};
      for (const auto& [use, title] : causes) cells.push_back(share(sm.uses[static_cast<std::size_t>(use)]));
      cells.insert(cells.begin() + 4, share(sm.policy[PolicyEvent::replays]));
      const auto per = [](std::uint64_t part, std::uint64_t of) {
        return number(static_cast<double>(part) / static_cast<double>(of), 1);
      };
      cells.push_back(per(sm.thread_instructions, sm.warp_instructions));
      cells.push_back(per(sm.resident_warp_cycles, sm.cycles));
      table.add(cells);
    }
  }
  return table.text();
}

// All policies on one machine with as many lanes, threads and instructions fetched a cycle: SH6, which no paper has.
std::string head_to_head(Runner& runner, const MachineDescription& machine, Output& out) {
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
      even.push_back(cycles(runner.run(machine, "", sized(workload))) /
                     cycles(runner.run(machine, with, sized(workload))));
    table.add({name, number(geometric_mean(gains), 3), number(geometric_mean(even), 3),
               number(100 * geometric_mean(simd), 1) + " %", number(geometric_mean(transactions), 2),
               number(geometric_mean(issued), 2)});
    out.results.add({fmt::format("{} on one machine, divergent", name), geometric_mean(gains), "x", {}, "PDOM"});
  }
  return table.text();
}

}  // namespace

int main(int argc, char** argv) {
  return make_tables(argc, argv,
                     {.name = "sbi-swi",
                      .machine = part_of("sbi-fermi", 1),
                      .parts = {{"Speed-up over the stack", by_policy},
                                {"By option", by_option},
                                {"Where issue slots go", by_cause},
                                {"All policies on one machine", head_to_head}},
                      .items = 8192,  // eight times the threads that an SM holds, so that its end weighs less
                      .quick_items = 2048});
}
