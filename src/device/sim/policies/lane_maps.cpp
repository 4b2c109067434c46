// lanes=identity and lanes=swizzle.
#include "device/sim/policies/lane_map.hpp"

namespace heddle::device::sim {
namespace {

class Identity final : public LaneMap {
 public:
  unsigned lane(unsigned thread, std::uint32_t) const override { return thread; }
};

// Odd warps have even and odd threads exchanged, so that threads of one parity in two warps use different lanes
// (Dynamic Warp Formation, lane swizzling).
class Swizzle final : public LaneMap {
 public:
  unsigned lane(unsigned thread, std::uint32_t warp) const override { return thread ^ (warp & 1); }
};

}  // namespace

std::unique_ptr<LaneMap> make_identity_lanes() { return std::make_unique<Identity>(); }
std::unique_ptr<LaneMap> make_swizzled_lanes() { return std::make_unique<Swizzle>(); }

}  // namespace heddle::device::sim
