// What to launch for a range of blocks: grids, and the hidden arguments of added entries (block_ranges.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "heddle/dim3.hpp"
#include "ptx/rewrite/range_entry.hpp"

namespace heddle::ptx {

// Division of any number below 2^31 by one divisor from 1 to 2^32 - 1, without a division:
// n / divisor == (upper half of (2 * n) * magic) >> shift, where a shift of 32 gives 0 as in PTX. (Granlund and
// Montgomery, "Division by Invariant Integers using Multiplication", 1994.)
struct RangeDivisor {
  std::uint32_t magic = 0, shift = 0;
};
RangeDivisor range_divisor(std::uint32_t divisor);

// Blocks [origin, origin + extent) in each dimension.
struct BlockBox {
  Dim3 origin{0, 0, 0}, extent;
  friend bool operator==(const BlockBox&, const BlockBox&) = default;
};

// The range as boxes, at most five, in increasing order of block numbers: the end of a row, the rest of a plane, whole
// planes, whole rows, the begin of a row; ranges of a grid of one dimension are one box. Empty for an empty range. The
// range must lie within the grid.
std::vector<BlockBox> boxes_of(const Dim3& grid, const BlockRange& range);

// Whether that is one box: not for an empty range.
bool is_box(const Dim3& grid, const BlockRange& range);

// Whether each part of `part` blocks is one, counted from the range's begin; the last part may be smaller.
bool are_boxes(const Dim3& grid, const BlockRange& range, std::uint64_t part);

// Additional parameters of pools.
struct PoolLaunch {
  std::uint32_t workers = 1;          // persistent blocks to launch
  std::uint64_t counter_address = 0;  // the word there must hold range.begin when the launch starts. Blocks
                                      // [range.begin, min(the word afterwards, range.end)) have run.
  std::uint64_t control_address = 0;
};

struct RangeLaunch {
  Dim3 grid;
  // Goes to RangeEntry::hidden_offset of the packed argument buffer, up to its end.
  std::vector<std::byte> hidden;
};

// Launches that run blocks [range) of `grid`, in increasing block order. `cluster` is what the launch says; the
// kernel's own extents come first. Throws heddle::Error (invalid_argument) for ranges outside the grid, ranges that
// split a cluster, and grids of 2^31 blocks or more (linear, pool) or 2^32 (prelude).
std::vector<RangeLaunch> plan_range(const RangeEntry& entry, const Dim3& grid, const BlockRange& range,
                                    const Dim3& cluster = {}, const PoolLaunch& pool = {});

// The same for a range that is cut into parts of `part` blocks: calls `launch` for each launch, in increasing block
// order, with its grid and the part that it belongs to. `packed` is the whole argument buffer of entry.parameter_bytes
// bytes and holds the launch's hidden arguments at that moment. Not for pools. Throws as plan_range() does, before the
// first call.
using LaunchPart = std::function<void(const Dim3& grid, const BlockRange& part)>;
void plan_parts(const RangeEntry& entry, const Dim3& grid, const BlockRange& range, std::uint64_t part,
                std::span<std::byte> packed, const LaunchPart& launch);

}  // namespace heddle::ptx
