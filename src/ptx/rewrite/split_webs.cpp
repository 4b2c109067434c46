#include "ptx/rewrite/split_webs.hpp"

#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/dominators.hpp"
#include "ptx/analysis/flow/register_table.hpp"
#include "ptx/analysis/flow/webs.hpp"

namespace heddle::ptx {
namespace {

// What follows the base within the brackets of an address, by its position (see RegisterTable): a sampler, coordinates.
void rename_behind_base(Operand& address, std::size_t position, std::uint32_t web) {
  for (std::size_t e = 0; e <= position; ++e) {
    Operand& element = address.elements.at(e);
    if (element.kind == OperandKind::vector) return void(element.elements.at(position - e).index = web);
    if (e == position) element.index = web;
  }
}

void rename(Instruction& inst, const analysis::RegisterOccurrence& occurrence, std::uint32_t web) {
  if (occurrence.operand == analysis::guard_operand) {
    inst.guard.reg = web;
    return;
  }
  if (occurrence.operand == analysis::return_operand) return;
  Operand& operand = inst.operands[occurrence.operand];
  switch (operand.kind) {
    case OperandKind::reg: operand.index = web; break;
    case OperandKind::address:
      if (occurrence.element == 0)
        operand.index = web;
      else
        rename_behind_base(operand, occurrence.element - 1u, web);
      break;
    default: operand.elements[occurrence.element].index = web;
  }
}

}  // namespace

Function split_webs(const Function& function) {
  const analysis::ControlFlowGraph cfg(function);
  const analysis::RegisterTable table(function);
  const analysis::Webs webs(cfg, analysis::dominators(cfg), function, table);
  Function result = function;
  result.registers.clear();
  for (std::uint32_t w = 0; w < webs.size(); ++w) {
    const Register& original = function.registers[webs.web(w).reg];
    result.registers.push_back({original.name + "_w" + std::to_string(w), original.type});
  }
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    std::uint32_t number = table.first(i);
    for (const analysis::RegisterOccurrence& occurrence : table.of(i))
      rename(result.body[i], occurrence, webs.of_occurrences()[number++]);
  }
  for (std::uint32_t p = 0; p < result.parameter_registers.size(); ++p)
    result.parameter_registers[p] = webs.of_parameter(p);
  // A returned value may be several webs, one for each ret: the rets of a function that is compiled on its own read
  // them through RegisterTable's return_operand, so the register that they name is the one before the split.
  return result;
}

}  // namespace heddle::ptx
