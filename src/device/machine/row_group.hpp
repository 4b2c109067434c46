// The threads of an instruction that executes for all lanes at once, and access to their registers by rows.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "device/machine/block.hpp"
#include "device/machine/row_op.hpp"

namespace heddle::device::machine {

using Row = std::array<std::uint64_t, row_lanes>;

// Calls f(lane) for each lane of the mask, in ascending order.
template <class F>
void for_each_lane(LaneMask lanes, F&& f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
}

// Threads that are at the same place. Those of one warp in their own lanes, in the kernel itself, have their registers
// side by side; others are asked one by one.
struct RowGroup {
  // `first`: one of the threads in `lanes`.
  RowGroup(Block& block, const LaneThreads& its_threads, const Thread& first, LaneMask lanes);

  // Finishes the row and writes the lanes' registers.
  void write(std::uint32_t reg, const RowFinish& finish, std::uint64_t* row, LaneMask lanes) const;
  void move_to(std::uint32_t pc, LaneMask lanes) const;
  // The lanes whose predicate is true, or false where it is negated.
  LaneMask holding(std::uint32_t reg, bool negated, LaneMask lanes) const;

  const LaneThreads& threads;
  std::uint64_t* registers = nullptr;  // of the warp, by register, by lane; null: not side by side
  std::uint32_t* counters = nullptr;   // likewise
};

}  // namespace heddle::device::machine
