// What policies of an SM count of their own mechanisms.
#pragma once

#include <array>
#include <cstdint>

namespace heddle::device::sim {

enum class PolicyEvent : std::uint8_t {
  // Dynamic warp formation.
  insertions,      // of threads of one place into the pool: two a write-back at most
  merged,          // threads that joined a warp which was being formed
  lane_conflicts,  // threads whose lane was occupied there
  lut_evictions,   // of places whose warps were being formed
  spilled,         // groups of threads that found the pool full
  refilled,        // of these, back in the pool
  orphaned,        // places whose entries in the heap's table were replaced
  heap_full,       // places beyond those that the heap has entries for
  compacted,       // warps that thread block compaction has formed
  // Contexts of splits (thread frontiers, interweaving).
  parted,             // contexts that were made by divergence
  joined,             // contexts that met another at their place
  cold,               // contexts pushed into the cold table
  degraded,           // of these, on its top, as the sorter was busy
  cold_full,          // contexts that found the cold table full
  suspended,          // cycles in which the secondary context waited at a join for the primary
  secondary,          // instructions of the second slot
  same_row,           // of these, in the row of units that the first one uses
  same_warp,          // of these, of the first one's warp
  false_dependences,  // times that the matrix scoreboard saw a dependence which no thread has
  conflicts,          // both schedulers had chosen the same instruction
  // Blocks that give way to others (virtual threads).
  swaps_out,
  swaps_in,
  context_cycles,   // of the shared memory's port, for contexts
  context_waits,    // cycles for which a context waited as accesses had the port
  late_writes,      // results of blocks that are not active
  moved_loads,      // accesses that went to the queue of inactive blocks
  spilled_entries,  // of stacks, beyond those that a context holds
  // Machines that issue memory instructions again (lsu.replays).
  replays,  // slots that replays took
};
constexpr unsigned policy_events = 28;
const char* name(PolicyEvent event);

struct PolicyCounts {
  std::array<std::uint64_t, policy_events> counts{};
  std::uint64_t& operator[](PolicyEvent event) { return counts[static_cast<unsigned>(event)]; }
  std::uint64_t operator[](PolicyEvent event) const { return counts[static_cast<unsigned>(event)]; }
  bool operator==(const PolicyCounts&) const = default;
};

}  // namespace heddle::device::sim
