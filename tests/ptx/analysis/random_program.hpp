// Random PTX kernels of integer arithmetic and arbitrary control flow, and a machine that runs the lanes of one group
// the way the analyses assume: loop by loop, the earliest block first.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/random_function.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis::testing {

struct ProgramShape {
  std::uint32_t blocks = 6;
  std::uint32_t instructions = 4;  // most of a block
  bool initialise = true;          // every register gets a value first
  bool guards = true;              // guarded arithmetic
};

// The text of a module with one entry, "k"(.u32 n, .u64 a).
std::string random_program(Random& random, const ProgramShape& shape);

// The coordinates that lanes see.
struct LaneCoordinates {
  std::array<std::uint32_t, 3> tid{}, ntid{}, ctaid{}, nctaid{};
  std::uint32_t lane = 0;
};

// What an instruction does with scalar operands. Reads registers through `read`.
class ScalarMachine {
 public:
  using Read = std::function<std::uint64_t(const Operand&, std::uint16_t operand, std::uint16_t element)>;
  ScalarMachine(const Function& function, std::uint64_t n, std::uint64_t a) : function_(function), n_(n), a_(a) {}
  // Values of the operands written, one for each register definition in order.
  std::vector<std::uint64_t> evaluate(const Instruction& inst, const Read& read) const;
  static std::uint64_t special(SpecialRegister special, const LaneCoordinates& where);

 private:
  const Function& function_;
  std::uint64_t n_, a_;
};

// Lanes of a group and where they are.
class GroupSchedule {
 public:
  GroupSchedule(const ControlFlowGraph& cfg, std::uint32_t lanes);
  // The block to run next, and the lanes that run it; false when all have left.
  bool next(std::uint32_t& block, std::vector<std::uint32_t>& lanes);
  // A lane goes from `from` to block `to` (no_node: it leaves the function).
  void go(std::uint32_t lane, std::uint32_t from, std::uint32_t to);

 private:
  void start_turns();
  const ControlFlowGraph& cfg_;
  std::vector<std::uint32_t> at_;         // by lane; no_node: has left
  std::vector<std::uint32_t> waits_for_;  // by lane: the loop whose next turn it waits for
};

}  // namespace heddle::ptx::analysis::testing
