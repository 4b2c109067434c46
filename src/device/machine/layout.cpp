#include "device/machine/layout.hpp"

#include <algorithm>

namespace heddle::device::machine {
namespace {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::SymbolRef;

template <class F>
void for_each_symbol(const Operand& operand, F&& f) {
  if (operand.kind == OperandKind::symbol ||
      (operand.kind == OperandKind::address && operand.base == OperandKind::symbol))
    f(operand.symbol);
  for (const Operand& element : operand.elements) for_each_symbol(element, f);
}

template <class F>
void for_each_symbol(const ptx::Function& function, F&& f) {
  for (const ptx::Instruction& inst : function.body)
    for (const Operand& operand : inst.operands) for_each_symbol(operand, f);
  for (const ptx::Table& table : function.tables)
    if (table.kind == ptx::Table::Kind::call_targets)
      for (std::uint32_t target : table.targets) f(SymbolRef{SymbolRef::Kind::function, target});
}

// A call through a register may go to any function whose address something takes; all of them are counted as reachable.
bool calls_indirectly(const ptx::Function& function) {
  return std::any_of(function.body.begin(), function.body.end(), [](const ptx::Instruction& inst) {
    return inst.opcode == ptx::Opcode::call &&
           std::any_of(inst.operands.begin(), inst.operands.end(), [](const Operand& o) { return o.is_reg(); });
  });
}

std::vector<bool> reachable(const ptx::Module& module, const ptx::Function& entry) {
  std::vector<bool> seen(module.functions.size(), false);
  std::vector<std::size_t> work{static_cast<std::size_t>(&entry - module.functions.data())};
  seen[work[0]] = true;
  const auto visit = [&](std::size_t index) {
    if (!seen[index]) {
      seen[index] = true;
      work.push_back(index);
    }
  };
  while (!work.empty()) {
    const ptx::Function& function = module.functions[work.back()];
    work.pop_back();
    for_each_symbol(function, [&](const SymbolRef& symbol) {
      if (symbol.kind == SymbolRef::Kind::function) visit(symbol.index);
    });
    if (calls_indirectly(function))
      for (std::size_t i = 0; i < module.functions.size(); ++i)
        if (!module.functions[i].is_entry) visit(i);
  }
  return seen;
}

std::uint64_t place(std::uint64_t& end, const ptx::Variable& variable) {
  const std::uint64_t at = align_up(end, variable.alignment());
  end = at + variable.size();
  return at;
}

// Shared memory whose size the launch decides.
bool is_dynamic(const ptx::Variable& variable) {
  return variable.unsized() || variable.linkage == ptx::Linkage::external;
}

}  // namespace

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return alignment <= 1 ? value : (value + alignment - 1) / alignment * alignment;
}

std::uint64_t stored_size(const ptx::Variable& variable) {
  if (!variable.unsized()) return variable.size();
  std::uint64_t inner = std::uint64_t{ptx::byte_size(variable.type)} * variable.vector;
  for (std::size_t i = 1; i < variable.dims.size(); ++i) inner *= variable.dims[i];
  return align_up(variable.init.size() * ptx::byte_size(variable.type), std::max<std::uint64_t>(inner, 1));
}

FrameLayout frame_layout(const ptx::Function& function) {
  FrameLayout layout;
  for (const ptx::Variable& variable : function.variables) {
    const bool here = variable.space == Space::local || variable.space == Space::param;
    layout.variables.push_back(here ? place(layout.bytes, variable) : FrameLayout::no_place);
    if (here) layout.own_alignment = std::max<std::uint64_t>(layout.own_alignment, variable.alignment());
  }
  if (!function.is_entry) {
    for (const ptx::Variable& v : function.parameters) layout.parameters.push_back(place(layout.bytes, v));
    for (const ptx::Variable& v : function.returns) layout.returns.push_back(place(layout.bytes, v));
  }
  layout.bytes = align_up(layout.bytes, FrameLayout::alignment);
  return layout;
}

SharedLayout shared_layout(const ptx::Module& module, const ptx::Function& entry) {
  SharedLayout layout;
  const std::vector<bool> used_functions = reachable(module, entry);
  std::vector<bool> used_variables(module.variables.size(), false);
  for (std::size_t i = 0; i < module.functions.size(); ++i)
    if (used_functions[i])
      for_each_symbol(module.functions[i], [&](const SymbolRef& symbol) {
        if (symbol.kind == SymbolRef::Kind::module_variable) used_variables[symbol.index] = true;
      });
  layout.module_variables.assign(module.variables.size(), SharedLayout::no_place);
  layout.function_variables.resize(module.functions.size());
  std::uint64_t end = 0, dynamic_alignment = 1;
  const auto visit = [&](const ptx::Variable& variable, std::uint64_t& at) {
    if (variable.space != Space::shared) return;
    if (is_dynamic(variable))
      dynamic_alignment = std::max<std::uint64_t>(dynamic_alignment, variable.alignment());
    else
      at = place(end, variable);
  };
  for (std::size_t i = 0; i < module.variables.size(); ++i)
    if (used_variables[i]) visit(module.variables[i], layout.module_variables[i]);
  for (std::size_t f = 0; f < module.functions.size(); ++f) {
    layout.function_variables[f].assign(module.functions[f].variables.size(), SharedLayout::no_place);
    if (!used_functions[f]) continue;
    for (std::size_t i = 0; i < module.functions[f].variables.size(); ++i)
      visit(module.functions[f].variables[i], layout.function_variables[f][i]);
  }
  layout.static_bytes = align_up(end, dynamic_alignment);
  const auto set_dynamic = [&](const ptx::Variable& variable, std::uint64_t& at) {
    if (variable.space == Space::shared && is_dynamic(variable)) at = layout.static_bytes;
  };
  for (std::size_t i = 0; i < module.variables.size(); ++i)
    set_dynamic(module.variables[i], layout.module_variables[i]);
  for (std::size_t f = 0; f < module.functions.size(); ++f)
    for (std::size_t i = 0; i < module.functions[f].variables.size(); ++i)
      set_dynamic(module.functions[f].variables[i], layout.function_variables[f][i]);
  return layout;
}

}  // namespace heddle::device::machine
