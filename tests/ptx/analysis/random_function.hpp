// Functions of branches only, for tests of control flow: each block is one instruction or a nop and a terminator.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "ptx/ir.hpp"

namespace heddle::ptx::analysis::testing {

using Random = std::mt19937;
inline std::uint32_t below(Random& random, std::uint32_t bound) {
  return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(random);
}

inline Instruction make_branch(Opcode opcode, bool guarded) {
  Instruction inst;
  inst.opcode = opcode;
  inst.guard.present = guarded;
  return inst;
}

inline Instruction make_bra(std::uint32_t label, bool guarded) {
  Instruction inst = make_branch(Opcode::bra, guarded);
  Operand target;
  target.kind = OperandKind::label;
  target.index = label;
  inst.operands.push_back(target);
  return inst;
}

// `blocks` one-instruction blocks, block b at instruction b with label b; guarded and plain branches to random labels,
// returns, exits, and tables of branches.
inline Function random_branches(Random& random, std::uint32_t blocks) {
  Function function;
  function.registers.push_back({"%p", Type::pred});
  for (std::uint32_t b = 0; b < blocks; ++b) function.labels.push_back({"L" + std::to_string(b), b});
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const std::uint32_t kind = below(random, 12);
    if (kind < 7) {
      function.body.push_back(make_bra(below(random, blocks), true));
    } else if (kind < 9) {
      function.body.push_back(make_bra(below(random, blocks), false));
    } else if (kind < 10) {
      function.body.push_back(make_branch(below(random, 2) ? Opcode::ret : Opcode::exit, below(random, 2) != 0));
    } else if (kind < 11) {
      Table table;
      for (std::uint32_t n = 1 + below(random, 4); n > 0; --n) table.targets.push_back(below(random, blocks));
      function.tables.push_back(table);
      Instruction inst = make_branch(Opcode::brx, false);
      Operand index, targets;
      index.kind = OperandKind::reg;
      targets.kind = OperandKind::table;
      targets.index = static_cast<std::uint32_t>(function.tables.size() - 1);
      inst.operands = {index, targets};
      function.body.push_back(inst);
    } else {
      function.body.push_back(make_branch(Opcode::membar, false));
    }
  }
  return function;
}

}  // namespace heddle::ptx::analysis::testing
