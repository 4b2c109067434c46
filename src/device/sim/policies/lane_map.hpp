// LaneMap: which lane of the SIMD unit a thread of a warp uses.
#pragma once

#include <cstdint>
#include <memory>

namespace heddle::device::sim {

struct LaneShape {
  unsigned width = 32;  // threads of a warp and lanes, a power of two
  unsigned warps = 48;  // of the SM
};

class LaneMap {
 public:
  virtual ~LaneMap() = default;
  // `thread`: number in its warp; `warp`: on its SM. For each warp a permutation of the lanes.
  virtual unsigned lane(unsigned thread, std::uint32_t warp, const LaneShape& shape) const = 0;
};

// Simultaneous Branch and Warp Interweaving, table 1; swizzle is Dynamic Warp Formation's.
std::unique_ptr<LaneMap> make_identity_lanes();
std::unique_ptr<LaneMap> make_swizzled_lanes();
std::unique_ptr<LaneMap> make_mirror_odd_lanes();
std::unique_ptr<LaneMap> make_mirror_half_lanes();
std::unique_ptr<LaneMap> make_xor_lanes();
std::unique_ptr<LaneMap> make_xor_reversed_lanes();

}  // namespace heddle::device::sim
