#include "batch/demands.hpp"

#include <algorithm>

#include "batch/quotient.hpp"

namespace heddle::batch {
namespace {

using device::sim::SlotUse;

// Cycles of an SM for which each channel was busy: with data, or with the rows that it had to open for them.
double dram_cycles(const device::sim::MemoryCounters& memory, const device::sim::MachineDescription& machine) {
  const double data = memory.dram_utilisation() * static_cast<double>(memory.cycles);
  const double opened = quotient(memory.dram.row_misses + memory.dram.row_conflicts, std::max(1u, memory.channels));
  const double of_row =
      std::max<double>(machine.dram.t_rrd, static_cast<double>(machine.dram.t_rc) / machine.dram.banks);
  return std::max(data, opened * of_row * machine.clocks.sm_mhz / machine.clocks.dram_mhz);
}

}  // namespace

model::Demands demands_of(const device::sim::KernelStatistics& counted,
                          const device::sim::MachineDescription& machine) {
  const device::sim::SmStatistics& sm = counted.sm;
  const device::sim::MemoryCounters& memory = counted.memory;
  const std::uint64_t instructions = sm.warp_instructions;
  const auto count = static_cast<double>(instructions);
  model::Demands made;
  made.cycles[model::issue] =
      quotient(sm.uses[static_cast<std::size_t>(SlotUse::issue)], instructions) / machine.front.schedulers;
  for (std::size_t pipe = 0; pipe < device::sim::pipe_classes; ++pipe)
    if (sm.pipe_counts[pipe] != 0)
      made.cycles[model::pipes + pipe] =
          quotient(sm.pipe_cycles[pipe], instructions) / quotient(sm.pipe_counts[pipe], machine.sms);
  // Accesses are looked up one after the other, each transaction in a cycle, or as slowly as MSHRs become free.
  const double held = quotient(memory.sm.mshr_cycles, std::max(1u, memory.mshrs));
  made.cycles[model::port] =
      std::max(quotient(memory.sm.transactions, std::max(1u, machine.l1.banks)), held) / std::max(1.0, count);
  made.accesses = quotient(memory.sm.global_accesses + memory.sm.local_accesses, instructions);
  made.cycles[model::shared] = quotient(memory.sm.shared_passes, instructions) * machine.shared.interval;
  const double l2_bytes = static_cast<double>(machine.l2.bytes_per_cycle) * machine.l2.slices / machine.sms;
  made.cycles[model::link] =
      std::max({quotient(memory.sm.received_bytes, instructions) / machine.crossbar.response_bytes,
                quotient(memory.sm.sent_bytes, instructions) / machine.crossbar.request_bytes,
                quotient(memory.l2.bytes, instructions) / l2_bytes});
  made.cycles[model::dram] = dram_cycles(memory, machine) * machine.sms / std::max(1.0, count);
  return made;
}

}  // namespace heddle::batch
