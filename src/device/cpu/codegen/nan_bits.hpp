// Which NaN an f32 instruction gives. GPUs have one f32 NaN, 0x7fffffff; the host keeps an operand's payload or makes
// its own. The difference shows only where the bits of a value are looked at (stored, moved to other lanes, used as an
// integer), so that is where the host's NaN is replaced: sums and products in between cost nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/ir.hpp"

namespace heddle::device::cpu {

class NanBits {
 public:
  NanBits(const ptx::Function& function, const ptx::analysis::ControlFlowGraph& cfg);

  // The register's value comes from f32 arithmetic and must be made canonical where its bits are looked at.
  bool raw(std::uint32_t reg) const { return state_[reg] == State::raw; }
  // Whether the instruction looks at the bits of its operands, and not only at their value as a number.
  bool looks_at_bits(std::uint32_t instruction) const { return looks_[instruction]; }
  // The instruction's result must be made canonical at once: its register also holds values whose bits must stay.
  bool settle(std::uint32_t instruction) const { return settle_[instruction]; }

 private:
  enum class State : std::uint8_t { exact, raw, mixed };

  void classify(const ptx::Function& function, const ptx::analysis::ControlFlowGraph& cfg);

  std::vector<State> state_;          // by register
  std::vector<bool> looks_, settle_;  // by instruction
};

}  // namespace heddle::device::cpu
