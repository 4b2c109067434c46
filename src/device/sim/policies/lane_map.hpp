// LaneMap: which lane of the SIMD unit a thread of a warp uses.
#pragma once

#include <cstdint>
#include <memory>

namespace heddle::device::sim {

class LaneMap {
 public:
  virtual ~LaneMap() = default;
  // `thread`: number in its warp; `warp`: in its block. For each warp a permutation of the lanes.
  virtual unsigned lane(unsigned thread, std::uint32_t warp) const = 0;
};

std::unique_ptr<LaneMap> make_identity_lanes();
std::unique_ptr<LaneMap> make_swizzled_lanes();

}  // namespace heddle::device::sim
