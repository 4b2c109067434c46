#include "device/sim/statistics.hpp"

namespace heddle::device::sim {
namespace {

double ratio(std::uint64_t a, std::uint64_t b) { return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b); }

template <class F>
void for_each_count(SmStatistics& a, const SmStatistics& b, F&& f) {
  f(a.cycles, b.cycles);
  f(a.slots, b.slots);
  f(a.warp_instructions, b.warp_instructions);
  f(a.thread_instructions, b.thread_instructions);
  f(a.issue_slots, b.issue_slots);
  f(a.slot_lanes, b.slot_lanes);
  f(a.resident_warp_cycles, b.resident_warp_cycles);
  f(a.blocks, b.blocks);
  for (std::size_t i = 0; i < a.uses.size(); ++i) f(a.uses[i], b.uses[i]);
  for (std::size_t i = 0; i < a.lanes.size(); ++i) f(a.lanes[i], b.lanes[i]);
  for (std::size_t i = 0; i < a.lane_uses.size(); ++i) f(a.lane_uses[i], b.lane_uses[i]);
  for (std::size_t i = 0; i < a.pipe_cycles.size(); ++i) f(a.pipe_cycles[i], b.pipe_cycles[i]);
  f(a.operands.reads, b.operands.reads);
  f(a.operands.reused, b.operands.reused);
  f(a.operands.late_cycles, b.operands.late_cycles);
  for (std::size_t i = 0; i < policy_events; ++i) f(a.policy.counts[i], b.policy.counts[i]);
}

}  // namespace

const char* name(SlotUse use) {
  constexpr std::array<const char*, slot_uses> names{"issue",   "pipeline", "memory", "result",
                                                     "control", "barrier",  "idle"};
  return names[static_cast<unsigned>(use)];
}

const char* lane_bucket_name(unsigned bucket) {
  constexpr std::array<const char*, lane_buckets> names{"W0_Idle", "W0_Mem", "Stall",  "W1-4",   "W5-8",  "W9-12",
                                                        "W13-16",  "W17-20", "W21-24", "W25-28", "W29-32"};
  return names[bucket];
}

SmStatistics& SmStatistics::operator+=(const SmStatistics& other) {
  for_each_count(*this, other, [](std::uint64_t& a, std::uint64_t b) { a += b; });
  for (std::size_t i = 0; i < pipe_counts.size(); ++i) pipe_counts[i] += other.pipe_counts[i];
  return *this;
}

SmStatistics& SmStatistics::operator-=(const SmStatistics& other) {
  for_each_count(*this, other, [](std::uint64_t& a, std::uint64_t b) { a -= b; });
  return *this;
}

double KernelStatistics::ipc() const { return ratio(sm.thread_instructions, cycles()); }
double KernelStatistics::simd_efficiency() const { return ratio(sm.thread_instructions, sm.slot_lanes); }
double KernelStatistics::occupancy() const { return ratio(sm.resident_warp_cycles, cycles() * sms * warps_per_sm); }

}  // namespace heddle::device::sim
