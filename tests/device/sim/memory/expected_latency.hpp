// The cycles of a load that meets no other, by the formula of docs/machines.md.
#pragma once

#include <algorithm>
#include <cmath>

#include "device/sim/machine_file/description.hpp"
#include "device/sim/memory/access.hpp"

namespace heddle::device::sim {

// From the look-up in the L1 to the use of the data. `bytes` that the response carries, `dram` cycles of the SM's clock
// in the channel.
inline Cycle expected_latency(const MachineDescription& m, unsigned bytes, double dram) {
  const double request = m.crossbar.header_bytes / m.crossbar.request_bytes;
  const double response = (m.crossbar.header_bytes + bytes) / m.crossbar.response_bytes;
  const double way = m.l1.miss_latency + request + 2.0 * m.crossbar.latency + m.l2.latency + dram + response;
  return static_cast<Cycle>(std::ceil(way - 0.01)) + m.l1.fill_latency;
}
// In the channel, for so many clocks of DRAM's commands before the transfer.
inline double dram_cycles(const MachineDescription& m, double clocks, unsigned bytes) {
  const unsigned moved = std::max(bytes, m.dram.burst);
  return m.dram.latency + (clocks + moved / m.dram.bytes_per_clock) * m.clocks.sm_mhz / m.clocks.dram_mhz;
}
// What a load of one lane fetches, of an aligned word of 4 or 8 bytes.
inline unsigned fetched_bytes(const MachineDescription& m, unsigned word = 4) {
  const bool cached = m.l1.bytes != 0 && m.l1.global_loads;
  if (m.coalescing == CoalescingRule::lines && cached) return m.l1.line;
  if (m.coalescing == CoalescingRule::half_warp_in_order) return word * 16;
  return cached ? m.l1.sector : 32;
}

}  // namespace heddle::device::sim
