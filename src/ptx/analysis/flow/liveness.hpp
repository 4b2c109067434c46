// Which registers (or webs) hold a value that may still be read, at the ends of each block and before any instruction.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ptx/analysis/flow/bit_matrix.hpp"
#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/register_table.hpp"

namespace heddle::ptx::analysis {

class Liveness {
 public:
  // Liveness of registers.
  Liveness(const ControlFlowGraph& cfg, const Function& function, const RegisterTable& table);
  // Liveness of other names for them: names[i] stands for the register of table.all()[i], and there are `count` names.
  Liveness(const ControlFlowGraph& cfg, const RegisterTable& table, std::span<const std::uint32_t> names,
           std::uint32_t count);

  std::uint32_t names() const { return static_cast<std::uint32_t>(in_.columns()); }
  bool live_in(std::uint32_t block, std::uint32_t name) const { return in_.test(block, name); }
  bool live_out(std::uint32_t block, std::uint32_t name) const { return out_.test(block, name); }
  template <class F>
  void for_each_live_in(std::uint32_t block, F&& f) const {
    in_.for_each(block, f);
  }
  template <class F>
  void for_each_live_out(std::uint32_t block, F&& f) const {
    out_.for_each(block, f);
  }

  // Walks a block backwards: calls f(instruction, live) with the set of names live before that instruction, last first.
  template <class F>
  void walk_back(const ControlFlowGraph& cfg, std::uint32_t block, F&& f) const;
  // Names live before an instruction; costs a walk of the block's end.
  std::vector<std::uint32_t> live_before(const ControlFlowGraph& cfg, std::uint32_t instruction) const;

 private:
  void solve(const ControlFlowGraph& cfg);
  void step_back(std::uint32_t instruction, BitMatrix& live, std::uint32_t row) const;

  const RegisterTable* table_;
  std::vector<std::uint32_t> names_of_;  // by occurrence
  BitMatrix in_, out_;
};

template <class F>
void Liveness::walk_back(const ControlFlowGraph& cfg, std::uint32_t block, F&& f) const {
  BitMatrix live(1, names());
  std::copy(out_.row(block).begin(), out_.row(block).end(), live.row(0).begin());
  for (std::uint32_t i = cfg.block(block).end; i-- > cfg.block(block).begin;) {
    step_back(i, live, 0);
    f(i, static_cast<const BitMatrix&>(live));
  }
}

// Most registers live at one point of the function, by width. A prediction of what a compiler needs that spills nothing
// and reorders nothing; real register files are 32 bits wide.
struct RegisterPressure {
  std::uint32_t predicates = 0, bits16 = 0, bits32 = 0, bits64 = 0, bits128 = 0;  // each at its own worst point
  std::uint32_t words = 0;        // 32-bit registers at the worst point, predicates left out
  std::uint32_t instruction = 0;  // that point
};
RegisterPressure register_pressure(const ControlFlowGraph& cfg, const Function& function, const Liveness& registers);

}  // namespace heddle::ptx::analysis
