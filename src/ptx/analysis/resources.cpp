#include "ptx/analysis/resources.hpp"

#include <algorithm>
#include <set>

#include "ptx/analysis/effects/memory_effect.hpp"

namespace heddle::ptx::analysis {
namespace {

constexpr std::uint32_t most_barriers = 16;

// What one function uses by itself, with sets where functions share.
struct Usage {
  Resources own;
  std::set<std::uint32_t> shared_variables;  // of the module
  std::set<SpecialRegister> special;
};

std::uint64_t align_up(std::uint64_t offset, std::uint64_t alignment) {
  return alignment == 0 ? offset : (offset + alignment - 1) / alignment * alignment;
}

void add_variable(std::uint64_t& bytes, const Variable& variable) {
  bytes = align_up(bytes, variable.alignment()) + variable.size();
}

void note_operand(const Module& module, const Operand& operand, Usage& usage) {
  if (operand.kind == OperandKind::special) usage.special.insert(operand.special);
  const bool names = operand.kind == OperandKind::symbol || operand.base == OperandKind::symbol;
  if (names && operand.symbol.kind == SymbolRef::Kind::module_variable &&
      module.variables[operand.symbol.index].space == Space::shared)
    usage.shared_variables.insert(operand.symbol.index);
  for (const Operand& element : operand.elements) note_operand(module, element, usage);
}

void note_barrier(const Instruction& inst, Resources& own) {
  if ((inst.opcode != Opcode::bar && inst.opcode != Opcode::barrier) || inst.has(Modifier::warp) ||
      inst.has(Modifier::cluster))
    return;
  ++own.barriers;
  // Behind the result of a reduction, else first.
  const std::size_t number = inst.has(Modifier::red) ? 1 : 0;
  const Operand* operand = number < inst.operands.size() ? &inst.operands[number] : nullptr;
  const bool constant = operand != nullptr && operand->kind == OperandKind::integer;
  const auto used = constant ? static_cast<std::uint32_t>(operand->value) + 1 : most_barriers;
  own.barrier_numbers = std::max(own.barrier_numbers, std::min(used, most_barriers));
}

void note_directives(const Function& function, Resources& own) {
  const auto extents = [&](const char* directive_name, std::array<std::uint32_t, 3>& into) {
    const FunctionDirective* directive = function.directive(directive_name);
    if (directive == nullptr || directive->values.empty()) return;
    for (std::size_t d = 0; d < 3; ++d) into[d] = d < directive->values.size() ? directive->values[d] : 1;
  };
  extents("reqntid", own.required_block);
  extents("maxntid", own.maximum_block);
  if (const auto* directive = function.directive("maxnreg"); directive != nullptr && !directive->values.empty())
    own.maximum_registers = directive->values[0];
}

Usage usage_of(const Module& module, const Function& function) {
  Usage usage;
  const ControlFlowGraph cfg(function, &module);
  const RegisterTable table(function);
  const Liveness live(cfg, function, table);
  Resources& own = usage.own;
  own.pressure = register_pressure(cfg, function, live);
  own.registers = own.pressure.words;
  own.declared_registers = static_cast<std::uint32_t>(function.registers.size());
  own.instructions = static_cast<std::uint32_t>(function.body.size());
  note_directives(function, own);
  for (const Variable& variable : function.variables) {
    if (variable.space == Space::local) add_variable(own.local, variable);
    if (variable.space == Space::shared) add_variable(own.static_shared, variable);
  }
  for (const Instruction& inst : function.body) {
    for (const Operand& operand : inst.operands) note_operand(module, operand, usage);
    note_barrier(inst, own);
    own.atomics += is_atomic(inst) ? 1 : 0;
  }
  own.dynamic_shared = usage.special.count(SpecialRegister::dynamic_smem_size) != 0;
  return usage;
}

}  // namespace

std::vector<Resources> find_resources(const Module& module, const std::vector<FunctionWaiting>& waiting) {
  std::vector<Usage> usages;
  for (const Function& function : module.functions)
    usages.push_back(function.is_declaration ? Usage{} : usage_of(module, function));
  std::vector<Resources> result;
  for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
    Usage all = usages[f];
    // A thread has room for one activation of each function that may be called; recursion needs more than can be told.
    for (std::uint32_t callee : waiting[f].functions) {
      if (callee == f) continue;
      const Usage& other = usages[callee];
      all.own.registers = std::max(all.own.registers, other.own.registers);
      all.own.local += other.own.local;
      all.own.static_shared += other.own.static_shared;
      all.own.barriers += other.own.barriers;
      all.own.barrier_numbers = std::max(all.own.barrier_numbers, other.own.barrier_numbers);
      all.own.atomics += other.own.atomics;
      all.own.dynamic_shared |= other.own.dynamic_shared;
      all.shared_variables.insert(other.shared_variables.begin(), other.shared_variables.end());
      all.special.insert(other.special.begin(), other.special.end());
    }
    for (std::uint32_t index : all.shared_variables) {
      const Variable& variable = module.variables[index];
      if (variable.unsized() || (variable.linkage == Linkage::external && variable.size() == 0))
        all.own.dynamic_shared = true;
      else
        add_variable(all.own.static_shared, variable);
    }
    all.own.special_registers.assign(all.special.begin(), all.special.end());
    result.push_back(std::move(all.own));
  }
  return result;
}

}  // namespace heddle::ptx::analysis
