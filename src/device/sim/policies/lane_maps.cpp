// lanes=identity, swizzle, mirror-odd, mirror-half, xor and xor-rev.
#include "device/sim/policies/lane_map.hpp"

namespace heddle::device::sim {
namespace {

// A map is a function of the thread, the warp and the shape.
template <class F>
class Mapped final : public LaneMap {
 public:
  explicit Mapped(F map) : map_(map) {}
  unsigned lane(unsigned thread, std::uint32_t warp, const LaneShape& shape) const override {
    return map_(thread, warp, shape);
  }

 private:
  F map_;
};

template <class F>
std::unique_ptr<LaneMap> mapped(F map) {
  return std::make_unique<Mapped<F>>(map);
}

// The lowest bits of a number, as many as the width has, in reverse order.
unsigned reversed(unsigned value, unsigned width) {
  unsigned result = 0;
  for (unsigned bit = 1; bit < width; bit <<= 1) {
    result = result << 1 | (value & 1);
    value >>= 1;
  }
  return result;
}

}  // namespace

std::unique_ptr<LaneMap> make_identity_lanes() {
  return mapped([](unsigned thread, std::uint32_t, const LaneShape&) { return thread; });
}
// Odd warps have even and odd threads exchanged, so that threads of one parity in two warps use different lanes.
std::unique_ptr<LaneMap> make_swizzled_lanes() {
  return mapped([](unsigned thread, std::uint32_t warp, const LaneShape&) { return thread ^ (warp & 1); });
}
std::unique_ptr<LaneMap> make_mirror_odd_lanes() {
  return mapped([](unsigned thread, std::uint32_t warp, const LaneShape& shape) {
    return warp % 2 != 0 ? shape.width - 1 - thread : thread;
  });
}
std::unique_ptr<LaneMap> make_mirror_half_lanes() {
  return mapped([](unsigned thread, std::uint32_t warp, const LaneShape& shape) {
    return warp >= shape.warps / 2 ? shape.width - 1 - thread : thread;
  });
}
std::unique_ptr<LaneMap> make_xor_lanes() {
  return mapped(
      [](unsigned thread, std::uint32_t warp, const LaneShape& shape) { return thread ^ (warp & (shape.width - 1)); });
}
std::unique_ptr<LaneMap> make_xor_reversed_lanes() {
  return mapped(
      [](unsigned thread, std::uint32_t warp, const LaneShape& shape) { return thread ^ reversed(warp, shape.width); });
}

}  // namespace heddle::device::sim
