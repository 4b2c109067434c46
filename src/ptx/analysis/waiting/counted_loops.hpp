// Loops that end after a number of turns whatever other threads do, as a search does that also looks at a flag.
#pragma once

#include <cstdint>

#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/dominators.hpp"
#include "ptx/analysis/flow/loop_slice.hpp"
#include "ptx/analysis/flow/webs.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

class CountedLoops {
 public:
  // All must outlive the object.
  CountedLoops(const Function& function, const ControlFlowGraph& cfg, const Webs& webs, const Slicer& slicer);

  // Whether each turn compares a register, to which each turn adds the same number, with something that no turn
  // changes, and may leave the loop by that.
  bool contains(std::uint32_t loop) const;

 private:
  bool is_in_each_turn(std::uint32_t loop, std::uint32_t block) const;
  bool leaves(std::uint32_t loop, std::uint32_t block) const;
  std::uint32_t only_definition(std::uint32_t loop, std::uint32_t web) const;
  bool is_counter(std::uint32_t loop, std::uint32_t web) const;
  bool is_fixed(std::uint32_t loop, std::uint32_t instruction, std::uint16_t operand) const;

  const Function& function_;
  const ControlFlowGraph& cfg_;
  const Webs& webs_;
  const Slicer& slicer_;
  DominatorTree dominators_;
};

}  // namespace heddle::ptx::analysis
