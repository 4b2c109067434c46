// Usage: policy-speed [--rounds N] [--only POLICY] [--kernels NAME,...]
// How fast machines are simulated with each policy, against the stack: warp instructions, and thread instructions, in a
// second of a processor. Policies that issue more and smaller warps take longer for a kernel, so that the bar is on
// warp instructions; for those of warps of 64 threads, whose instructions are of twice the work, on thread
// instructions. --only: one policy in one round, without a table, for callgrind.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "page.hpp"
#include "runner.hpp"
#include "support/results.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle::bench;
using namespace heddle::bench::sim_policies;

struct Named {
  const char *name, *machine;
  std::string policies;
};

const std::vector<Named>& all_policies() {
  static const std::vector<Named> all = {
      {"pdom", "sbi-fermi", ""},
      {"nrec", "sbi-fermi", ",divergence=nrec"},
      {"mimd", "sbi-fermi", ",divergence=mimd"},
      {"its", "sbi-fermi", ",divergence=its"},
      {"tbc", "sbi-fermi", ",divergence=tbc,lanes=swizzle"},
      {"tf", "sbi-fermi", ",divergence=tf"},
      {"dwf majority", "sbi-fermi", ",divergence=dwf,lanes=swizzle"},
      {"dwf minority", "sbi-fermi", ",divergence=dwf,lanes=swizzle,formation=minority"},
      {"dwf timestamp", "sbi-fermi", ",divergence=dwf,lanes=swizzle,formation=timestamp"},
      {"dwf pc", "sbi-fermi", ",divergence=dwf,lanes=swizzle,formation=pc"},
      {"dwf pdom-priority", "sbi-fermi", ",divergence=dwf,lanes=swizzle,formation=pdom-priority"},
      {"wide", "sbi-fermi", ",issue=wide"},
      {"sbi", "sbi-fermi", ",issue=sbi"},
      {"swi", "sbi-fermi", ",issue=swi,lanes=xor-rev"},
      {"sbi+swi", "sbi-fermi", ",issue=sbi+swi,lanes=xor-rev"},
      {"sbi+swi, matrix scoreboard", "sbi-fermi", ",issue=sbi+swi,lanes=xor-rev,scoreboard=matrix"},
      {"round-robin", "fermi-gtx480", ""},
      {"virtual-thread", "fermi-gtx480", ",residency=virtual-thread,memory-queue=active-first"},
      {"finereg", "fermi-gtx480", ",residency=finereg,memory-queue=active-first"},
      {"max", "fermi-gtx480", ",residency=max,memory-queue=mascar"}};
  return all;
}

// What a policy simulates in all of its kernels, and how long that takes.
struct Cost {
  double warp_instructions = 0, thread_instructions = 0, seconds = 0;
};

Cost cost_of(const Named& one, const std::string& policies) {
  const MachineDescription machine = part_of(one.machine, 1);
  const bool latency = std::string(one.machine) == "fermi-gtx480";
  Cost cost;
  Runner runner;  // of its own, so that nothing is known yet
  for (const Workload& workload : latency ? scheduling_limited() : divergent()) {
    const KernelStatistics figures = runner.run(machine, policies, workload);
    cost.warp_instructions += static_cast<double>(figures.sm.warp_instructions);
    cost.thread_instructions += static_cast<double>(figures.sm.thread_instructions);
  }
  cost.seconds = runner.processor_seconds;
  return cost;
}

}  // namespace

int main(int argc, char** argv) {
  choose_kernels(text_of(argc, argv, "--kernels"));
  const std::string only = text_of(argc, argv, "--only");
  const unsigned rounds = number_of(argc, argv, "--rounds", 3);
  Table table({"policy", "warp instructions/s", "over the stack's", "thread instructions/s", "over the stack's"});
  Results results("policy-speed");
  for (const Named& one : all_policies()) {
    if (!only.empty()) {
      if (only != one.name) continue;
      const Cost cost = cost_of(one, one.policies);
      fmt::print("{}: {:.0f} warp instructions, {:.0f} thread instructions, {:.2f} s\n", one.name,
                 cost.warp_instructions, cost.thread_instructions, cost.seconds);
      return 0;
    }
    // By turns, so that what else the machine does weighs on both.
    std::vector<double> warps, threads, warp_ratio, thread_ratio;
    for (unsigned round = 0; round < rounds; ++round) {
      const Cost base = cost_of(one, ""), cost = cost_of(one, one.policies);
      warps.push_back(cost.warp_instructions / cost.seconds);
      threads.push_back(cost.thread_instructions / cost.seconds);
      warp_ratio.push_back(warps.back() / (base.warp_instructions / base.seconds));
      thread_ratio.push_back(threads.back() / (base.thread_instructions / base.seconds));
    }
    table.add({one.name, number(median(warps), 0), number(median(warp_ratio)), number(median(threads), 0),
               number(median(thread_ratio))});
    const bool wide = one.policies.find("issue=") != one.policies.npos;
    results.add({fmt::format("{}: {} instructions/s", one.name, wide ? "thread" : "warp"),
                 median(wide ? thread_ratio : warp_ratio), "x", at_least(0.4), "pdom"});
  }
  if (!only.empty()) {
    fmt::print(stderr, "there is no policy '{}'\n", only);
    return 2;
  }
  fmt::print("{}\n", table.text());
  return results.finish();
}
