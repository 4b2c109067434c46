// What a thread does with a value that it has loaded.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/dominators.hpp"
#include "ptx/ir.hpp"

namespace heddle::device::cpu {

class ValueUses {
 public:
  ValueUses(const ptx::Function& function, const ptx::analysis::ControlFlowGraph& cfg,
            const ptx::analysis::PostDominators& post);

  // Whether some instruction does more with the register than to store it.
  bool any(std::uint32_t reg) const;
  // Whether some instruction that follows `load` on all ways to the end computes with the value that it leaves in
  // `reg`, or with its bits in other registers. There is no such instruction if the thread loads first, and then tests
  // whether the value is there, as merges of sorted lists do.
  bool certain(std::uint32_t load, std::uint32_t reg) const;

 private:
  bool is_chosen_later(const ptx::Instruction& inst) const;

  const ptx::Function& function_;
  const ptx::analysis::ControlFlowGraph& cfg_;
  const ptx::analysis::PostDominators& post_;
  std::vector<std::vector<std::uint32_t>> uses_;  // by register: instructions
};

}  // namespace heddle::device::cpu
