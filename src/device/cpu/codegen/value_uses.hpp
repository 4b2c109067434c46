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
  // Whether the value is what an atomic compare-and-swap of the same place expects there. If it is not there any more,
  // the program notices.
  bool is_expected_by_swap(const ptx::Instruction& load) const;

 private:
  bool is_chosen_later(const ptx::Instruction& inst) const;
  ptx::Operand place_of(const ptx::Operand& address) const;
  bool same_place(const ptx::Operand& a, const ptx::Operand& b) const;

  const ptx::Function& function_;
  const ptx::analysis::ControlFlowGraph& cfg_;
  const ptx::analysis::PostDominators& post_;
  std::vector<std::vector<std::uint32_t>> uses_, definitions_;  // by register: instructions
};

}  // namespace heddle::device::cpu
