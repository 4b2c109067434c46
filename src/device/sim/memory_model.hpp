// The memory of the whole machine: a port for each SM, and what happens between them at the end of an epoch.
#pragma once

#include <memory>

#include "device/sim/machine_file/description.hpp"
#include "device/sim/memory/counters.hpp"
#include "device/sim/memory/memory_port.hpp"

namespace heddle::device::sim {

class MemoryModel {
 public:
  virtual ~MemoryModel() = default;
  virtual MemoryPort& sm(unsigned index) = 0;
  virtual Cycle longest_epoch() const = 0;
  // All SMs have been simulated up to `end`.
  virtual void exchange(Cycle end) = 0;
  virtual bool idle() const = 0;
  // Since the last reset_counters().
  virtual MemoryCounters counters() const = 0;
  // Counts from `now` on: nothing is simulated between launches, but time passes.
  virtual void reset_counters(Cycle now) = 0;
};

// Caches, crossbar and DRAM (memory/).
std::unique_ptr<MemoryModel> make_full_memory(const MachineDescription& machine);
// Fixed latencies and unlimited bandwidth (ideal_memory.hpp).
std::unique_ptr<MemoryModel> make_ideal_memory(const MachineDescription& machine);

}  // namespace heddle::device::sim
