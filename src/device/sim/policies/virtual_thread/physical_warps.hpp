// Rows of an SM's scoreboard, by physical warp (Virtual Thread, sections 2.3 and 2.4). Blocks that give way to others
// leave their rows to these; each row knows which virtual warp has it.
#pragma once

#include <cstdint>
#include <vector>

#include "device/sim/scoreboard.hpp"

namespace heddle::device::sim {

class PhysicalWarps {
 public:
  static constexpr std::uint32_t nobody = 0xffffffffu;
  explicit PhysicalWarps(unsigned rows);

  // A free row for a virtual warp. Throws internal if there is none.
  std::uint32_t take(std::uint32_t virtual_warp);
  // The row is free, and its entries are gone. Returns what they were.
  Scoreboard::Cleared give(std::uint32_t row);
  Scoreboard& board(std::uint32_t row) { return rows_[row].board; }
  // Whether results of the virtual warp belong to the row.
  bool owned_by(std::uint32_t row, std::uint32_t virtual_warp) const;
  // The virtual warp whose registers an instruction of the row reads and writes.
  std::uint32_t registers_of(std::uint32_t row) const;
  unsigned used() const { return static_cast<unsigned>(rows_.size() - free_.size()); }

 private:
  struct Row {
    Scoreboard board;
    std::uint32_t owner = nobody;
  };
  std::vector<Row> rows_;
  std::vector<std::uint32_t> free_;  // descending, but for those that came back
};

}  // namespace heddle::device::sim
