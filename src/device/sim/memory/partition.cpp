#include "device/sim/memory/partition.hpp"

#include <algorithm>

namespace heddle::device::sim {

Partition::Partition(const MachineDescription& machine, unsigned channel)
    : channels_(machine.dram.channels), channel_(machine) {
  for (unsigned slice = channel; slice < machine.l2.slices; slice += channels_) {
    slices_.emplace_back(machine, slice, slice / channels_);
  }
}

void Partition::advance(Ticks horizon) {
  for (L2Slice& slice : slices_) slice.sort_requests();
  for (;;) {
    // Of events at one time: data that arrive, then DRAM's decisions, then slices by their number.
    const Ticks done = channel_.next_done(), decision = channel_.next_decision();
    L2Slice* slice = nullptr;
    Ticks request = DramChannel::none;
    for (L2Slice& candidate : slices_) {
      if (const Ticks at = candidate.next_event(); at < request) request = at, slice = &candidate;
    }
    const Ticks now = std::min({done, decision, request});
    if (now >= horizon) return;
    if (done == now) {
      const DramChannel::Done arrived = channel_.take_done();
      slices_[arrived.slice].arrived(now, arrived.id, channel_, out_);
    } else if (decision == now) {
      channel_.decide();
      for (L2Slice& waiting : slices_) waiting.unblock(now);
    } else {
      slice->step(channel_, out_);
    }
  }
}

bool Partition::idle() const {
  return channel_.idle() && std::all_of(slices_.begin(), slices_.end(), [](const L2Slice& s) { return s.idle(); });
}

void Partition::add_counters(MemoryCounters& total) const {
  total.dram += channel_.counters();
  for (const L2Slice& slice : slices_) total.l2 += slice.counters();
}

void Partition::reset_counters() {
  channel_.reset_counters();
  for (L2Slice& slice : slices_) slice.reset_counters();
}

}  // namespace heddle::device::sim
