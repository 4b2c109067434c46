// What is known before a launch about the lanes of one group: the threads that a code generator runs side by side.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "heddle/dim3.hpp"

namespace heddle::ptx::analysis {

// A lane number written in mixed radix: digit 0 is lane % radix[0], digit 1 is (lane / radix[0]) % radix[1], digit 2
// the rest. A group that lies in one row of the block has one digit, the lane itself. A group of 32 in a block of 16
// columns has two: the column, and which of the two rows.
inline constexpr unsigned digit_count = 3;

struct LaneModel {
  unsigned lanes = 32;
  std::array<unsigned, 2> radix{32, 1};

  // How %tid.x, y and z vary over the lanes: the same in all, lane 0's value plus a digit, or in no known way.
  enum class Component : std::uint8_t { uniform, digit0, digit1, digit2, varying };
  struct Tid {
    Component component = Component::varying;
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
  // follow no pattern are varying.
  static LaneModel for_block(Dim3 block, unsigned lanes);
  // Nothing is known of the block.
  static LaneModel unknown(unsigned lanes);

  std::uint32_t digit(unsigned number, unsigned lane) const;
  // Steps of the lane number itself: 1, radix[0], radix[0] * radix[1].
  std::array<std::int64_t, digit_count> lane_strides() const;
};

}  // namespace heddle::ptx::analysis
