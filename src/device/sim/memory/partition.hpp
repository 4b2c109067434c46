// A DRAM channel with its L2 slices: no request of one partition affects another, so that threads can share them.
#pragma once

#include <span>
#include <vector>

#include "device/sim/memory/dram_channel.hpp"
#include "device/sim/memory/l2_slice.hpp"

namespace heddle::device::sim {

class Partition {
 public:
  Partition(const MachineDescription& machine, unsigned channel);

  // `slice` of the whole device; of this partition are those with slice % channels == channel.
  void add(const Request& request) { slices_[request.slice / channels_].add(request); }
  // All that happens before `horizon`, when all requests that arrive before it have been added.
  void advance(Ticks horizon);

  std::span<const Outgoing> outgoing() const { return out_; }
  void clear_outgoing() { out_.clear(); }
  bool idle() const;
  void add_counters(MemoryCounters& total) const;
  void reset_counters();

 private:
  unsigned channels_;
  DramChannel channel_;
  std::vector<L2Slice> slices_;
  std::vector<Outgoing> out_;
};

}  // namespace heddle::device::sim
