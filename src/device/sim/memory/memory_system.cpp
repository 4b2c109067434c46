#include "device/sim/memory/memory_system.hpp"

#include <algorithm>

namespace heddle::device::sim {

MemorySystem::MemorySystem(const MachineDescription& machine)
    : mshrs_(machine.l1.mshrs), crossbar_latency_(machine.crossbar.latency) {
  sms_.reserve(machine.sms);
  for (unsigned sm = 0; sm < machine.sms; ++sm) sms_.emplace_back(machine, sm);
  partitions_.reserve(machine.dram.channels);
  for (unsigned channel = 0; channel < machine.dram.channels; ++channel) partitions_.emplace_back(machine, channel);
}

void MemorySystem::exchange(Cycle end) {
  collect(end);
  for (unsigned partition = 0; partition < partitions(); ++partition) advance_partition(partition);
  deliver();
}

// What an SM sends from `end` on arrives at `end` plus the crossbar's latency at the earliest.
void MemorySystem::collect(Cycle end) {
  end_ = end;
  horizon_ = ticks(end + crossbar_latency_);
  for (SmMemory& sm : sms_) {
    for (const Request& request : sm.sent()) partitions_[request.slice % partitions_.size()].add(request);
    sm.clear_sent();
  }
}

// What leaves a slice before the horizon is known; what leaves it later reaches no SM in the next epoch.
void MemorySystem::deliver() {
  for (Partition& partition : partitions_) {
    for (const Outgoing& made : partition.outgoing()) sms_[made.sm].receive(made.response);
    partition.clear_outgoing();
  }
  for (SmMemory& sm : sms_) sm.settle(horizon_);
}

bool MemorySystem::idle() const {
  const auto is_idle = [](const auto& part) { return part.idle(); };
  return std::all_of(sms_.begin(), sms_.end(), is_idle) && std::all_of(partitions_.begin(), partitions_.end(), is_idle);
}

MemoryCounters MemorySystem::counters() const {
  MemoryCounters total;
  for (const SmMemory& sm : sms_) total.sm += sm.counters();
  for (const Partition& partition : partitions_) partition.add_counters(total);
  total.cycles = end_ - counted_from_;
  total.sms = static_cast<unsigned>(sms_.size());
  total.channels = partitions();
  total.mshrs = mshrs_;
  return total;
}

void MemorySystem::reset_counters(Cycle now) {
  for (SmMemory& sm : sms_) sm.reset_counters();
  for (Partition& partition : partitions_) partition.reset_counters();
  end_ = counted_from_ = now;
}

}  // namespace heddle::device::sim
