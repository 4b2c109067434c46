// Extents of grids and blocks, and ranges of linear block ids.
#pragma once

#include <cstdint>

namespace heddle {

// Missing components are 1, as in CUDA.
struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend constexpr bool operator==(const Dim3&, const Dim3&) = default;
};

// Blocks [begin, end) of a launch as linear ids, x fastest: id = x + grid.x * (y + grid.y * z).
struct BlockRange {
  std::uint64_t begin = 0, end = 0;
  constexpr std::uint64_t size() const { return end - begin; }
  constexpr bool empty() const { return begin >= end; }
  friend constexpr bool operator==(const BlockRange&, const BlockRange&) = default;
};

}  // namespace heddle
