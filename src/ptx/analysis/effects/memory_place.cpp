#include "ptx/analysis/effects/memory_place.hpp"

#include <algorithm>

#include "ptx/type.hpp"

namespace heddle::ptx::analysis {

using Kind = SymbolRef::Kind;

bool may_meet(const MemoryPlace& a, const MemoryPlace& b) {
  if (a.root && b.root) return *a.root == *b.root && (a.whole || b.whole || (a.begin < b.end && b.begin < a.end));
  if ((a.root && !a.escapes) || (b.root && !b.escapes)) return false;
  if ((a.space == Space::param) != (b.space == Space::param)) return false;
  return a.space == b.space || a.space == Space::generic || b.space == Space::generic;
}

PlaceFinder::PlaceFinder(const Module& module, const Function& function, const RegisterTable& table)
    : module_(module),
      function_(function),
      definitions_(function.registers.size(), 0),
      definition_(function.registers.size(), 0),
      addresses_(function.registers.size()),
      read_(function.registers.size(), false),
      escapes_(function.variables.size(), false) {
  find_definitions(table);
  find_addresses();
  if (!escapes_.empty()) find_escapes();
}

void PlaceFinder::find_definitions(const RegisterTable& table) {
  for (std::uint32_t i = 0; i < table.instructions(); ++i)
    for (const RegisterOccurrence& item : table.of(i)) {
      if (!item.is_def) {
        read_[item.reg] = true;
        continue;
      }
      // A definition under a guard may leave what was there.
      definitions_[item.reg] += item.guarded || item.tied ? 2 : 1;
      definition_[item.reg] = i;
    }
  for (std::uint32_t reg : function_.parameter_registers)
    if (reg != Function::no_register) definitions_[reg] += 2;
}

// In the order of the text: a register that is read before its definition counts as one that is not known.
void PlaceFinder::find_addresses() {
  for (const Instruction& inst : function_.body) {
    const bool follows = inst.opcode == Opcode::mov || inst.opcode == Opcode::cvta || inst.opcode == Opcode::cvt ||
                         inst.opcode == Opcode::add || inst.opcode == Opcode::sub;
    if (!follows || inst.operands[0].kind != OperandKind::reg || definitions_[inst.operands[0].index] != 1) continue;
    addresses_[inst.operands[0].index] = computed_by(inst);
  }
}

std::optional<std::uint32_t> PlaceFinder::definition(std::uint32_t reg) const {
  if (definitions_[reg] != 1) return std::nullopt;
  return definition_[reg];
}

Space PlaceFinder::space(const SymbolRef& symbol) const {
  switch (symbol.kind) {
    case Kind::module_variable: return module_.variables[symbol.index].space;
    case Kind::local_variable: return function_.variables[symbol.index].space;
    default: return Space::param;
  }
}

std::optional<PlaceFinder::Address> PlaceFinder::address_of(const Operand& value) const {
  if (value.kind == OperandKind::symbol && value.symbol.kind != Kind::function)
    return Address{value.symbol, false, value.value};
  return value.kind == OperandKind::reg ? addresses_[value.index] : std::nullopt;
}

std::optional<PlaceFinder::Address> PlaceFinder::computed_by(const Instruction& inst) const {
  auto base = address_of(inst.operands[1]);
  if (inst.opcode != Opcode::add && inst.opcode != Opcode::sub) return base;
  const auto other = address_of(inst.operands[2]);
  if (base.has_value() == other.has_value()) return std::nullopt;
  const Operand& step = inst.operands[base ? 2 : 1];
  if (!base) base = other;
  if (step.kind != OperandKind::integer) base->whole = true;
  if (!base->whole) base->offset += inst.opcode == Opcode::sub ? -step.value : step.value;
  return base;
}

// The variable's address is read by something else than an access or a step on the way to one.
void PlaceFinder::find_escapes() {
  const auto escape = [&](const Operand& value, const std::optional<Address>& result) {
    const auto from = address_of(value);
    if (!from || from->root.kind != Kind::local_variable) return;
    if (!result || !(result->root == from->root)) escapes_[from->root.index] = true;
  };
  for (const Instruction& inst : function_.body) {
    const bool has_result = !inst.operands.empty() && inst.operands[0].kind == OperandKind::reg;
    const std::optional<Address> result = has_result ? address_of(inst.operands[0]) : std::nullopt;
    for (const Operand& operand : inst.operands) {
      escape(operand, result);
      // Variables named in the lists of a call are its arguments and results.
      for (const Operand& element : operand.elements)
        if (element.kind == OperandKind::reg) escape(element, std::nullopt);
    }
  }
}

MemoryPlace PlaceFinder::variable(const SymbolRef& symbol) const {
  MemoryPlace place;
  place.space = space(symbol);
  place.root = symbol;
  place.escapes =
      symbol.kind == Kind::module_variable || (symbol.kind == Kind::local_variable && escapes_[symbol.index]);
  return place;
}

MemoryPlace PlaceFinder::place(const Instruction& inst, const MemoryEffect& effect) const {
  const Operand& operand = inst.operands[effect.operand];
  std::optional<Address> address;
  if (operand.base == OperandKind::symbol)
    address = Address{operand.symbol, false, operand.value};
  else if (operand.base == OperandKind::reg)
    if ((address = addresses_[operand.index])) address->offset += operand.value;
  if (!address) return {.space = effect.space, .root = std::nullopt};
  MemoryPlace found = variable(address->root);
  const bool simple = inst.opcode == Opcode::ld || inst.opcode == Opcode::st;
  found.whole = address->whole || !simple || !operand.elements.empty();
  if (found.whole) return found;
  found.begin = address->offset;
  found.end = found.begin + static_cast<std::int64_t>(std::max<std::uint64_t>(byte_size(inst.d.type), 1)) *
                                std::max<int>(inst.d.vector, 1);
  return found;
}

MemoryPlace PlaceFinder::loaded_place(const Instruction& inst) const {
  MemoryEffect effect;
  effect.operand = 1;
  effect.space = space_of(module_, function_, inst, inst.operands[1]);
  return place(inst, effect);
}

bool PlaceFinder::may_be(const Operand& value, std::int64_t number, int depth) const {
  if (value.kind == OperandKind::integer) return value.value == number;
  if (value.kind != OperandKind::reg || depth == 0) return false;
  const auto from = definition(value.index);
  if (!from) return false;
  const Instruction& inst = function_.body[*from];
  if (inst.opcode == Opcode::mov) return may_be(inst.operands[1], number, depth - 1);
  return inst.opcode == Opcode::ld && may_have_been_stored(inst, number, depth - 1);
}

bool PlaceFinder::may_have_been_stored(const Instruction& load, std::int64_t number, int depth) const {
  const MemoryPlace from = loaded_place(load);
  if (!from.root) return false;
  if (from.root->kind == Kind::parameter) return !function_.is_entry;  // whatever a caller has passed
  if (from.space != Space::local && from.space != Space::param) return false;
  return std::any_of(function_.body.begin(), function_.body.end(), [&](const Instruction& inst) {
    if (inst.opcode != Opcode::st || inst.d.vector > 1) return false;
    return may_meet(from, place(inst, {0, space_of(module_, function_, inst, inst.operands[0])})) &&
           may_be(inst.operands[1], number, depth);
  });
}

}  // namespace heddle::ptx::analysis
