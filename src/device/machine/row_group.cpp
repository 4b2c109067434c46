#include "device/machine/row_group.hpp"

#include <algorithm>

namespace heddle::device::machine {
namespace {

void apply(const RowFinish& finish, std::uint64_t* row) {
  if (finish.extend_from != 0) {
    const unsigned unused = 64u - finish.extend_from;
    for (unsigned i = 0; i < row_lanes; ++i)
      row[i] = static_cast<std::uint64_t>(static_cast<std::int64_t>(row[i] << unused) >> unused);
  }
  if (finish.masks)
    for (unsigned i = 0; i < row_lanes; ++i) row[i] &= finish.mask;
}

}  // namespace

RowGroup::RowGroup(Block& block, const LaneThreads& its_threads, const Thread& first, LaneMask lanes)
    : threads(its_threads) {
  if (first.frames.size() != 1) return;
  const std::uint32_t number = first.linear / warp_size;
  const Warp& warp = block.warps[number];
  if (&threads != &warp.lanes)
    for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      if (threads[lane] != warp.lanes[lane]) return;
    }
  registers = warp.registers;
  counters = &block.counters[number * warp_size];
}

void RowGroup::write(std::uint32_t reg, const RowFinish& finish, std::uint64_t* row, LaneMask lanes) const {
  if (finish.changes()) apply(finish, row);
  if (!registers) {
    for_each_lane(lanes, [&](unsigned lane) { threads[lane]->frame().registers.set(reg, {row[lane]}); });
    return;
  }
  std::uint64_t* const target = registers + std::size_t{reg} * row_lanes;
  if (lanes == ~LaneMask{0}) {
    std::copy(row, row + row_lanes, target);
  } else {
    for (unsigned lane = 0; lane < row_lanes; ++lane)
      target[lane] = (lanes >> lane & 1) != 0 ? row[lane] : target[lane];
  }
}

void RowGroup::move_to(std::uint32_t pc, LaneMask lanes) const {
  if (!counters) {
    for_each_lane(lanes, [&](unsigned lane) { threads[lane]->pc() = pc; });
  } else {
    for (unsigned lane = 0; lane < row_lanes; ++lane) counters[lane] = (lanes >> lane & 1) != 0 ? pc : counters[lane];
  }
}

LaneMask RowGroup::holding(std::uint32_t reg, bool negated, LaneMask lanes) const {
  LaneMask holding = 0;
  if (registers) {
    const std::uint64_t* const row = registers + std::size_t{reg} * row_lanes;
    for (unsigned lane = 0; lane < row_lanes; ++lane) holding |= static_cast<LaneMask>(row[lane] & 1) << lane;
  } else {
    for_each_lane(lanes, [&](unsigned lane) {
      holding |= static_cast<LaneMask>(threads[lane]->frame().registers.low(reg) & 1) << lane;
    });
  }
  return (negated ? ~holding : holding) & lanes;
}

}  // namespace heddle::device::machine
