#include "ptx/link/reference.hpp"

namespace heddle::ptx {
namespace {

void see_operand(Operand& operand, const std::function<void(SymbolRef&)>& see) {
  if (operand.kind == OperandKind::symbol ||
      (operand.kind == OperandKind::address && operand.base == OperandKind::symbol))
    see(operand.symbol);
  for (Operand& element : operand.elements) see_operand(element, see);
}

}  // namespace

void for_each_reference(Variable& variable, const std::function<void(SymbolRef&)>& see) {
  for (InitValue& value : variable.init)
    if (value.kind == InitValue::Kind::symbol || value.kind == InitValue::Kind::generic_symbol) see(value.symbol);
}

void for_each_reference(Function& function, const std::function<void(SymbolRef&)>& see) {
  for (Variable& variable : function.variables) for_each_reference(variable, see);
  for (Instruction& inst : function.body)
    for (Operand& operand : inst.operands) see_operand(operand, see);
  for (Table& table : function.tables) {
    if (table.kind != Table::Kind::call_targets) continue;
    for (std::uint32_t& target : table.targets) {
      SymbolRef ref{SymbolRef::Kind::function, target};
      see(ref);
      target = ref.index;
    }
  }
}

}  // namespace heddle::ptx
