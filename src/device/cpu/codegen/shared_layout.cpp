#include "device/cpu/codegen/shared_layout.hpp"

#include <algorithm>

namespace heddle::device::cpu {
namespace {

using ptx::OperandKind;
using SymbolKind = ptx::SymbolRef::Kind;

void note(const ptx::Operand& operand, std::vector<bool>& used) {
  const bool symbol = operand.kind == OperandKind::symbol ||
                      (operand.kind == OperandKind::address && operand.base == OperandKind::symbol);
  if (symbol && operand.symbol.kind == SymbolKind::module_variable) used[operand.symbol.index] = true;
  for (const ptx::Operand& element : operand.elements) note(element, used);
}

}  // namespace

SharedLayout shared_layout(const ptx::Module& module, const ptx::Function& function,
                           const std::vector<const ptx::Function*>& callees) {
  std::vector<bool> used(module.variables.size(), false);
  const auto scan = [&](const ptx::Function& f) {
    for (const ptx::Instruction& inst : f.body)
      for (const ptx::Operand& operand : inst.operands) note(operand, used);
  };
  scan(function);
  for (const ptx::Function* callee : callees) scan(*callee);

  SharedLayout layout;
  const auto place = [&](const ptx::Variable& variable) {
    const std::uint64_t align = std::max<std::uint64_t>(variable.alignment(), 1);
    const std::uint64_t offset = (layout.static_bytes + align - 1) / align * align;
    layout.static_bytes = offset + variable.size();
    return offset;
  };
  const auto is_dynamic = [](const ptx::Variable& v) { return v.unsized() || v.linkage == ptx::Linkage::external; };
  for (std::uint32_t v = 0; v < module.variables.size(); ++v)
    if (used[v] && module.variables[v].space == ptx::Space::shared && !is_dynamic(module.variables[v]))
      layout.module_variables[v] = place(module.variables[v]);
  for (std::uint32_t v = 0; v < function.variables.size(); ++v)
    if (function.variables[v].space == ptx::Space::shared && !is_dynamic(function.variables[v]))
      layout.function_variables[v] = place(function.variables[v]);
  // Dynamic memory begins where the strictest of its variables may; without any, right behind the static one, so that
  // nothing that is read past that end counts as memory.
  bool any_dynamic = std::any_of(function.variables.begin(), function.variables.end(), [&](const ptx::Variable& v) {
    return v.space == ptx::Space::shared && is_dynamic(v);
  });
  std::uint64_t align = 16;
  for (std::uint32_t v = 0; v < module.variables.size(); ++v)
    if (used[v] && module.variables[v].space == ptx::Space::shared && is_dynamic(module.variables[v])) {
      any_dynamic = true;
      align = std::max<std::uint64_t>(align, module.variables[v].alignment());
    }
  if (!any_dynamic) return layout;
  layout.static_bytes = (layout.static_bytes + align - 1) / align * align;
  for (std::uint32_t v = 0; v < module.variables.size(); ++v)
    if (used[v] && module.variables[v].space == ptx::Space::shared && is_dynamic(module.variables[v]))
      layout.module_variables[v] = layout.static_bytes;
  for (std::uint32_t v = 0; v < function.variables.size(); ++v)
    if (function.variables[v].space == ptx::Space::shared && is_dynamic(function.variables[v]))
      layout.function_variables[v] = layout.static_bytes;
  return layout;
}

}  // namespace heddle::device::cpu
