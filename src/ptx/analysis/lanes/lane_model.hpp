// What is known before a launch about the lanes of one group: the threads that a code generator runs side by side.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "heddle/dim3.hpp"

namespace heddle::ptx::analysis {

// A group has a power of two of lanes, up to 2^lane_bits. What differs from lane to lane is described by the bits of
// the lane number: a step for each bit, which lanes have where that bit is 1. A value that is the lane number has the
// steps 1, 2, 4, 8, 16. Columns and rows of a block are some of the bits each, and so are halves, pairs and other parts
// of the lanes that exchange data.
inline constexpr unsigned lane_bits = 5;
using LaneSteps = std::array<std::int64_t, lane_bits>;

struct LaneModel {
  unsigned lanes = 32;

  // How %tid.x, y and z vary over the lanes: lane 0's value plus the number in some bits of the lane number. No bits:
  // the same in all.
  struct Tid {
    bool known = false;  // else it follows no pattern
    unsigned first_bit = 0, bits = 0;
    std::uint32_t multiple = 1;  // lane 0's value is a multiple of this power of two; 0: it is 0
  };
  std::array<Tid, 3> tid{};

  std::array<std::optional<std::uint32_t>, 3> ntid{};                 // block extents, where they are fixed
  std::array<std::uint32_t, 3> ntid_limit{1024, 1024, 64};            // and their bounds otherwise
  std::array<std::uint32_t, 3> grid_limit{0x7fffffff, 65535, 65535};  // upper bounds of %nctaid
  // The launch guarantees %nctaid.d * %ntid.d <= 2^31 in each dimension: global thread numbers are never negative.
  bool global_id_fits = false;

  // Groups of `lanes` threads that follow each other in a row: blocks of one dimension, or blocks whose width is a
  // multiple of `lanes`, or groups that end with their row.
  static LaneModel rows(unsigned lanes);
  // Consecutive threads of a block of this size. Where 'lanes' and the extents do not fit together, the components that
  // follow no pattern are unknown.
  static LaneModel for_block(Dim3 block, unsigned lanes);
  // Nothing is known of the block.
  static LaneModel unknown(unsigned lanes);

  // Bits of a lane number in this group.
  unsigned bits() const;
  // Steps of a known component of the thread number, and of the lane number itself.
  LaneSteps steps_of(const Tid& component) const;
  LaneSteps lane_steps() const;
};

}  // namespace heddle::ptx::analysis
