#include "ptx/rewrite/lone_kernel.hpp"

#include <algorithm>
#include <charconv>

#include "ptx/decode.hpp"
#include "ptx/rewrite/inline_calls.hpp"
#include "ptx/rewrite/single_kernel.hpp"

namespace heddle::ptx {
namespace {

bool names_variables(const Module& module, const Operand& operand) {
  const bool is_symbol = operand.kind == OperandKind::symbol ||
                         (operand.kind == OperandKind::address && operand.base == OperandKind::symbol);
  if (is_symbol && operand.symbol.kind == SymbolRef::Kind::module_variable &&
      module.variables[operand.symbol.index].space != Space::shared)
    return true;
  return std::any_of(operand.elements.begin(), operand.elements.end(),
                     [&](const Operand& element) { return names_variables(module, element); });
}

}  // namespace

Module take_lone_kernel(const Module& module, std::uint32_t entry, std::uint32_t& place) {
  Module alone = take_function(module, entry, place);
  alone.functions[place] = inline_calls(alone, alone.functions[place], {.least = InlineOptions{}.max_instructions});
  return take_function(alone, place, place);
}

bool uses_variables(const Module& module, const Function& function) {
  const auto is_static = [](const Variable& variable) {
    return variable.space == Space::global || variable.space == Space::constant;
  };
  return std::any_of(function.variables.begin(), function.variables.end(), is_static) ||
         std::any_of(function.body.begin(), function.body.end(), [&](const Instruction& inst) {
           return std::any_of(inst.operands.begin(), inst.operands.end(),
                              [&](const Operand& operand) { return names_variables(module, operand); });
         });
}

unsigned target_number(const Module& module) {
  unsigned target = 0;
  for (const std::string& name : module.targets)
    if (name.starts_with("sm_")) std::from_chars(name.data() + 3, name.data() + name.size(), target);
  return target;
}

unsigned version_number(const Module& module) { return module.version_major * 10 + module.version_minor; }

void drop_nc(Instruction& load) {
  if (!load.d.nc) return;
  ModifierList kept;
  for (const Modifier modifier : load.modifiers)
    if (modifier != Modifier::nc) kept.push_back(modifier);
  load.modifiers = kept;
  decode(load);
}

}  // namespace heddle::ptx
