// How many blocks an SM holds: the four limits, and what Virtual Thread makes of them (sections 2.1 and 2.2).
#pragma once

#include <cstdint>

#include "device/sim/memory/access.hpp"
#include "device/sim/policies/options.hpp"
#include "device/sim/policies/residency.hpp"

namespace heddle::device::sim {

// What of a block is kept while it gives way: identifiers, the block's index, and the stacks of its warps.
struct BlockStateSize {
  unsigned stack_entries = 4;  // of a warp; deeper ones stay in memory
  unsigned scale = 1;          // for sensitivity studies
  std::uint64_t bits(unsigned warps) const;
  std::uint64_t bytes(unsigned warps) const { return (bits(warps) + 7) / 8; }
  // `port`: bits that the shared memory takes in a cycle; 0: no time at all.
  Cycle cycles(unsigned warps, unsigned port) const;
};

struct Occupancy {
  unsigned scheduling = 0;  // blocks by block slots, threads and warps
  unsigned capacity = 0;    // by registers and shared memory
  unsigned baseline = 0;    // the smaller of them
  unsigned resident = 0;    // under Virtual Thread
  unsigned active = 0;      // of these, at a time
  // Type S: the scheduling limit binds, and capacity is left over.
  bool scheduling_limited() const { return scheduling < capacity; }
};
// `warps`: of a block. Blocks that use neither registers nor shared memory have no limit of capacity but 65535.
Occupancy occupancy(const Residency& limits, const BlockNeeds& needs, unsigned warps, const BlockStateSize& context,
                    unsigned virtual_warps);

}  // namespace heddle::device::sim
