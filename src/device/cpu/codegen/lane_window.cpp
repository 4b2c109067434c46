#include "device/cpu/codegen/lane_window.hpp"

#include <algorithm>

namespace heddle::device::cpu {

std::optional<LaneWindow> lane_window(std::span<const std::int64_t> offsets, unsigned count, unsigned bytes,
                                      unsigned most) {
  const auto [least, greatest] = std::ranges::minmax(offsets);
  // Distances are residues of 64 bits: as unsigned numbers they subtract without overflow.
  const std::uint64_t spread = static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least);
  if (spread / bytes >= most || spread / bytes + count > most) return std::nullopt;
  LaneWindow window{.first = least, .elements = static_cast<unsigned>(spread / bytes) + count};
  std::vector<bool> taken(window.elements);
  for (const std::int64_t offset : offsets) {
    const auto distance = static_cast<std::uint64_t>(offset - least);
    if (distance % bytes != 0) return std::nullopt;
    window.place.push_back(static_cast<unsigned>(distance / bytes));
    for (unsigned e = 0; e < count; ++e) {
      window.distinct = window.distinct && !taken[window.place.back() + e];
      taken[window.place.back() + e] = true;
    }
  }
  return window;
}

std::vector<int> lanes_of_window(const LaneWindow& window, unsigned count, unsigned padded) {
  std::vector<int> lanes(padded, -1);
  for (std::size_t lane = 0; lane < window.place.size(); ++lane)
    for (unsigned e = 0; e < count; ++e) lanes[window.place[lane] + e] = static_cast<int>(lane);
  return lanes;
}

}  // namespace heddle::device::cpu
