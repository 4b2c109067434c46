// The piece of memory that the lanes of an access touch together, where it is known when code is generated how far
// apart they are: one wide access of the piece and shuffles take the place of a gather or scatter, which needs its time
// for each lane.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace heddle::device::cpu {

struct LaneWindow {
  std::int64_t first = 0;       // bytes from lane 0's address to the window
  unsigned elements = 0;        // of the window
  std::vector<unsigned> place;  // by lane: its first element
  bool distinct = true;         // no element belongs to two lanes
};

// Of lanes that access `count` elements of `bytes` bytes each at these distances from lane 0's address. None where the
// distances are no multiples of an element, or the window has more than `most` elements.
std::optional<LaneWindow> lane_window(std::span<const std::int64_t> offsets, unsigned count, unsigned bytes,
                                      unsigned most);

// The lane of each element of a window whose lanes' elements are distinct; -1: of none. `padded`: elements of the
// result, no fewer than the window has.
std::vector<int> lanes_of_window(const LaneWindow& window, unsigned count, unsigned padded);

}  // namespace heddle::device::cpu
