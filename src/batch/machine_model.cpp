#include "batch/machine_model.hpp"

#include <algorithm>

#include "batch/demands.hpp"
#include "batch/quotient.hpp"
#include "ptx/analysis/waiting/memory_waits.hpp"

namespace heddle::batch {
namespace {

using device::sim::SteppedMachine;

constexpr unsigned warp = 32;
constexpr double worth_a_state = .1;  // accesses that make several requests: fewer are not told apart

model::BlockNeeds needs_of(SteppedMachine& machine, const Kernel& kernel) {
  return {static_cast<unsigned>(kernel.config().block.count()), machine.registers(kernel.function()),
          kernel.function().static_shared_bytes() + kernel.config().dynamic_shared_bytes};
}

// Of the look-ups of both caches, those that neither answers.
struct Misses {
  double l1 = 1, l2 = 1;
};
Misses misses_of(const device::sim::MemoryCounters& memory) {
  const auto rate = [](const device::sim::CacheCounters& cache) {
    const std::uint64_t all = cache.hits + cache.misses + cache.pending_hits;
    return all == 0 ? 1.0 : 1 - quotient(cache.hits, all);
  };
  return {rate(memory.sm.l1), rate(memory.l2.cache)};
}

double part_of_misses(const device::sim::MemoryCounters& memory) {
  const Misses misses = misses_of(memory);
  return misses.l1 * misses.l2;
}

// The L2 lies so far between the L1 and DRAM, by the machine's latencies.
double far_of(const device::sim::MemoryCounters& memory, const device::sim::MachineDescription& machine) {
  const Misses misses = misses_of(memory);
  const double l1 = machine.l1.latency;
  const double l2 =
      machine.l1.miss_latency + 2.0 * machine.crossbar.latency + machine.l2.latency + machine.l1.fill_latency;
  const double open = machine.dram.t_cl * machine.clocks.sm_mhz / machine.clocks.dram_mhz;
  const double dram = l2 + machine.dram.latency + open;
  const double near = machine.l1.global_loads ? l1 : l2;
  const double mean = machine.l1.global_loads
                          ? (1 - misses.l1) * l1 + misses.l1 * ((1 - misses.l2) * l2 + misses.l2 * dram)
                          : (1 - misses.l2) * l2 + misses.l2 * dram;
  return std::clamp((mean - near) / (dram - near), 0.0, 1.0);
}

void find_pipe(const device::sim::KernelStatistics& counted, const device::sim::MachineDescription& machine,
               model::KernelProfile& profile) {
  for (unsigned pipe = 0; pipe < device::sim::pipe_classes; ++pipe) {
    if (counted.sm.pipe_counts[pipe] == 0) continue;
    const double pipes = quotient(counted.sm.pipe_counts[pipe], machine.sms);
    const double cycles = quotient(counted.sm.pipe_cycles[pipe], counted.sm.warp_instructions) / pipes;
    if (cycles * model_schedulers(machine) <= profile.issue_cycles) continue;
    profile.issue_cycles = cycles * model_schedulers(machine);
    profile.pipe = pipe + 1;
  }
}

}  // namespace

model::SmLimits limits_of(const device::sim::MachineDescription& machine) {
  const device::sim::Residency& sm = machine.residency;
  model::SmLimits limits;
  limits.threads = std::min(sm.threads, sm.warps * warp);
  limits.blocks = sm.blocks;
  limits.block_threads = sm.block_threads;
  limits.registers = limits.block_registers = sm.registers;
  limits.thread_registers = sm.thread_registers;
  limits.register_unit = sm.register_unit;
  limits.warp_unit = sm.warp_unit;
  limits.shared = sm.shared_bytes;
  limits.block_shared = sm.block_shared_bytes;
  limits.reserved_shared = sm.shared_reserved;
  limits.shared_unit = sm.shared_unit;
  return limits;
}

double peak_ipc(const device::sim::MachineDescription& machine) {
  return static_cast<double>(machine.front.schedulers) / machine.front.issue_interval;
}

unsigned model_schedulers(const device::sim::MachineDescription& machine) {
  return std::max(1u, machine.front.schedulers / machine.front.issue_interval);
}

device::sim::KernelStatistics run_alone(SteppedMachine& machine, Kernel& kernel, std::uint64_t blocks) {
  machine.launch(kernel.function(), kernel.config(), {0, blocks}, kernel.arguments());
  while (!machine.idle()) machine.advance();
  return machine.take_ended().front().statistics;
}

sched::CoRunDevice corun_of(const device::sim::MachineDescription& machine, const model::MemoryLatency& latency) {
  sched::CoRunDevice corun;
  corun.limits = limits_of(machine);
  corun.sm.schedulers = model_schedulers(machine);
  corun.sm.latency = latency;
  corun.launch_cycles = machine.launching.kernel_cycles + machine.launching.block_cycles;
  return corun;
}

double count_alone(SteppedMachine& machine, Kernel& kernel, model::Candidate& made) {
  made.needs = needs_of(machine, kernel);
  const unsigned resident = model::resident_blocks(limits_of(machine.machine()), made.needs);
  const std::uint64_t full = std::uint64_t{resident} * machine.machine().sms;
  const std::uint64_t blocks = std::min(std::max<std::uint64_t>(full, 1), kernel.blocks());
  const auto counted = run_alone(machine, kernel, blocks);
  const auto& memory = counted.memory.sm;
  const auto instructions = static_cast<double>(counted.sm.warp_instructions);
  made.block_instructions = instructions / static_cast<double>(blocks);
  const auto accesses = static_cast<double>(memory.global_accesses + memory.local_accesses);
  made.profile.memory_ratio = accesses / instructions;
  const double requests = accesses > 0 ? memory.transactions_per_access() : 1;
  made.profile.uncoalesced = std::max(0.0, (requests - 1) / (made.profile.uncoalesced_requests - 1));
  made.profile.misses = part_of_misses(counted.memory);
  if (made.profile.uncoalesced < worth_a_state) {
    made.profile.uncoalesced = 0;
    made.profile.misses *= requests;
  }
  made.profile.far = far_of(counted.memory, machine.machine());
  find_pipe(counted, machine.machine(), made.profile);
  made.profile.accesses_per_wait = ptx::analysis::find_memory_waits(kernel.function().ptx()).accesses_per_wait();
  made.demands = demands_of(counted, machine.machine());
  const auto cycles = static_cast<double>(counted.cycles());
  const double launching = machine.machine().launching.kernel_cycles;
  made.memory_use = counted.memory.dram_utilisation() * cycles / std::max(1.0, cycles - launching);
  return counted.memory.dram_utilisation() * cycles / static_cast<double>(blocks);
}

}  // namespace heddle::batch
