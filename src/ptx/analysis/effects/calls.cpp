#include "ptx/analysis/effects/calls.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace heddle::ptx::analysis {

bool is_builtin(const Function& function) {
  static constexpr std::array<std::string_view, 4> builtins{"vprintf", "malloc", "free", "__assertfail"};
  return std::find(builtins.begin(), builtins.end(), function.name) != builtins.end();
}

std::uint32_t definition_of(const Module& module, std::uint32_t function) {
  if (!module.functions[function].is_declaration) return function;
  for (std::uint32_t f = 0; f < module.functions.size(); ++f)
    if (module.functions[f].name == module.functions[function].name && !module.functions[f].is_declaration) return f;
  return function;
}

bool has_calls(const Function& function) {
  return std::any_of(function.body.begin(), function.body.end(),
                     [](const Instruction& inst) { return inst.opcode == Opcode::call; });
}

bool calls_others(const Module& module, const Function& function) {
  constexpr std::size_t callee = 1;
  return std::any_of(function.body.begin(), function.body.end(), [&](const Instruction& inst) {
    if (inst.opcode != Opcode::call) return false;
    if (inst.operands.size() <= callee || inst.operands[callee].kind != OperandKind::symbol) return true;
    const SymbolRef& symbol = inst.operands[callee].symbol;
    return symbol.kind != SymbolRef::Kind::function || !is_builtin(module.functions[symbol.index]);
  });
}

std::vector<std::uint32_t> possible_callees(const Module& module, const Function& function, const Instruction& call) {
  std::vector<std::uint32_t> result;
  const Operand& callee = call.operands[1];
  if (callee.kind == OperandKind::symbol) return {definition_of(module, callee.symbol.index)};
  for (const Operand& operand : call.operands)
    if (operand.kind == OperandKind::table && function.tables[operand.index].kind == Table::Kind::call_targets) {
      for (std::uint32_t target : function.tables[operand.index].targets)
        result.push_back(definition_of(module, target));
      return result;
    }
  std::vector<bool> taken(module.functions.size(), false);
  for (const Variable& variable : module.variables)
    for (const InitValue& value : variable.init)
      if (value.kind != InitValue::Kind::integer && value.symbol.kind == SymbolRef::Kind::function)
        taken[value.symbol.index] = true;
  for (const Function& other : module.functions)
    for (const Instruction& inst : other.body)
      for (std::size_t i = 0; i < inst.operands.size(); ++i) {
        const Operand& operand = inst.operands[i];
        const bool is_callee = inst.opcode == Opcode::call && i == 1;
        if (operand.kind == OperandKind::symbol && operand.symbol.kind == SymbolRef::Kind::function && !is_callee)
          taken[operand.symbol.index] = true;
      }
  for (std::uint32_t f = 0; f < taken.size(); ++f)
    if (taken[f]) result.push_back(definition_of(module, f));
  return result;
}

}  // namespace heddle::ptx::analysis
