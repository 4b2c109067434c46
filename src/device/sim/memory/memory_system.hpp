// The memory system of a simulated GPU in time: one SmMemory for each SM, the crossbar, L2 slices and DRAM channels.
//
// Time advances in epochs. Between two exchanges every SM is simulated alone, up to the same cycle, by any thread.
// exchange(end) then takes all that the SMs have sent in the order (cycle, SM, sequence), lets L2 and DRAM work on it,
// and hands answers to the SMs. No epoch may be longer than longest_epoch(), the least time of a request's way to the
// L2 and back: so no SM can have needed an answer before the exchange, and the result depends on no host thread.
#pragma once

#include <vector>

#include "device/sim/machine_file/description.hpp"
#include "device/sim/memory/partition.hpp"
#include "device/sim/memory/sm_memory.hpp"

namespace heddle::device::sim {

class MemorySystem {
 public:
  // Keeps no reference to the description. Throws internal for one that read_machine_file() would have refused.
  explicit MemorySystem(const MachineDescription& machine);
  SmMemory& sm(unsigned index) { return sms_[index]; }

  // Cycles of an epoch at most: 2 * crossbar.latency.
  Cycle longest_epoch() const { return 2 * crossbar_latency_; }
  // All SMs have been simulated up to `end`, which is not a part of the epoch that ends. No thread may use an SM.
  void exchange(Cycle end);
  // The same in three steps, of which the second can be done by several threads, one partition each.
  void collect(Cycle end);
  unsigned partitions() const { return static_cast<unsigned>(partitions_.size()); }
  void advance_partition(unsigned partition) { partitions_[partition].advance(horizon_); }
  void deliver();

  // Nothing is under way, in the SMs or below.
  bool idle() const;
  // With the totals of all SMs, slices and channels.
  MemoryCounters counters() const;
  // Of what happens from `now` on, which is not before the end of the last epoch.
  void reset_counters(Cycle now);

 private:
  unsigned mshrs_;
  Cycle crossbar_latency_;
  Cycle end_ = 0, counted_from_ = 0;
  Ticks horizon_ = 0;  // all requests that arrive at a slice before it are known
  std::vector<SmMemory> sms_;
  std::vector<Partition> partitions_;
};

}  // namespace heddle::device::sim
