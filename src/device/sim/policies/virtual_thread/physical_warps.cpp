#include "device/sim/policies/virtual_thread/physical_warps.hpp"

#include "device/sim/policies/audit.hpp"

namespace heddle::device::sim {

PhysicalWarps::PhysicalWarps(unsigned rows) : rows_(rows) {
  for (std::uint32_t row = rows; row-- > 0;) free_.push_back(row);
}

std::uint32_t PhysicalWarps::take(std::uint32_t virtual_warp) {
  PolicyAudit::require(!free_.empty(), "active warps are no more than physical ones");
  const std::uint32_t row = free_.back();
  free_.pop_back();
  PolicyAudit::require(rows_[row].board.empty(), "a row of the scoreboard has no entries of its last owner");
  rows_[row].owner = virtual_warp;
  return row;
}

bool PhysicalWarps::owned_by(std::uint32_t row, std::uint32_t virtual_warp) const {
  return rows_[row].owner == virtual_warp;
}

std::uint32_t PhysicalWarps::registers_of(std::uint32_t row) const { return rows_[row].owner; }

Scoreboard::Cleared PhysicalWarps::give(std::uint32_t row) {
  free_.push_back(row);
  rows_[row].owner = nobody;
  return rows_[row].board.clear();
}

}  // namespace heddle::device::sim
