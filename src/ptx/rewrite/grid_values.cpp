#include "ptx/rewrite/grid_values.hpp"

#include "ptx/rewrite/inline_calls.hpp"

namespace heddle::ptx {
namespace {

using G = GridValue;
using S = SpecialRegister;

// Special registers x, y, z follow each other, and so do grid values.
struct Group {
  GridValue value;
  SpecialRegister special;
  HiddenValue extent_or_offset;  // of the box form
};
constexpr Group groups[] = {
    {G::ctaid_x, S::ctaid_x, HiddenValue::offset_x},
    {G::nctaid_x, S::nctaid_x, HiddenValue::grid_x},
    {G::clusterid_x, S::clusterid_x, HiddenValue::cluster_offset_x},
    {G::nclusterid_x, S::nclusterid_x, HiddenValue::clusters_x},
};
constexpr unsigned dimensions = 3;

HiddenValue hidden_of(GridValue value) {
  const Group& group = groups[number(value) / dimensions];
  return static_cast<HiddenValue>(static_cast<unsigned>(group.extent_or_offset) + number(value) % dimensions);
}

bool is_offset(GridValue value) { return number(value) / dimensions % 2 == 0; }

Operand reg(std::uint32_t index) { return Operand::make_reg(index); }

constexpr Modifier u32 = modifier_of(Type::u32);

std::uint32_t emit_binary(BodyEditor& editor, Opcode opcode, std::uint32_t a, std::uint32_t b) {
  return editor.compute(Type::b32, opcode, {u32}, {reg(a), reg(b)});
}

}  // namespace

SpecialRegister special_of(GridValue value) {
  const Group& group = groups[number(value) / dimensions];
  return static_cast<SpecialRegister>(static_cast<unsigned>(group.special) + number(value) % dimensions);
}

std::optional<GridValue> grid_value_of(SpecialRegister special) {
  for (const Group& group : groups)
    if (special >= group.special && static_cast<unsigned>(special) < static_cast<unsigned>(group.special) + dimensions)
      return static_cast<GridValue>(number(group.value) + static_cast<unsigned>(special) -
                                    static_cast<unsigned>(group.special));
  return std::nullopt;
}

GridValueSet values_named(const Operand& operand) {
  GridValueSet set;
  if (operand.kind == OperandKind::special)
    if (const auto value = grid_value_of(operand.special)) set.set(number(*value));
  for (const Operand& element : operand.elements) set |= values_named(element);
  return set;
}

GridValueSet values_named(const Instruction& inst) {
  GridValueSet set;
  for (const Operand& operand : inst.operands) set |= values_named(operand);
  return set;
}

std::optional<std::uint32_t> named_callee(const Instruction& inst) {
  constexpr unsigned callee_slot = 1;
  if (inst.opcode != Opcode::call) return std::nullopt;
  const Operand& callee = inst.operands[callee_slot];
  if (callee.kind != OperandKind::symbol || callee.symbol.kind != SymbolRef::Kind::function) return std::nullopt;
  return callee.symbol.index;
}

std::vector<GridValueSet> values_needed(const Module& module) {
  std::vector<GridValueSet> needed(module.functions.size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> calls;
  for (std::uint32_t f = 0; f < needed.size(); ++f)
    for (const Instruction& inst : module.functions[f].body) {
      needed[f] |= values_named(inst);
      if (const auto callee = named_callee(inst)) calls.emplace_back(f, definition_of(module, *callee));
    }
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [caller, callee] : calls) {
      const GridValueSet both = needed[caller] | needed[callee];
      changed |= both != needed[caller];
      needed[caller] = both;
    }
  }
  return needed;
}

std::vector<HiddenValue> hidden_values_for(RangeForm form, const GridValueSet& values) {
  std::vector<HiddenValue> hidden;
  const auto any = [&](std::initializer_list<GridValue> list) {
    for (GridValue value : list)
      if (values.test(number(value))) return true;
    return false;
  };
  if (form == RangeForm::box) {
    for (unsigned v = 0; v < grid_value_count; ++v)
      if (values.test(v)) hidden.push_back(hidden_of(static_cast<GridValue>(v)));
    return hidden;
  }
  if (form == RangeForm::prelude) return hidden;
  const bool block = any({G::ctaid_x, G::ctaid_y, G::ctaid_z});
  if (block && form == RangeForm::linear) hidden.push_back(HiddenValue::first);
  if (any({G::ctaid_x, G::nctaid_x})) hidden.push_back(HiddenValue::grid_x);
  if (any({G::ctaid_y, G::nctaid_y})) hidden.push_back(HiddenValue::grid_y);
  if (any({G::nctaid_z})) hidden.push_back(HiddenValue::grid_z);
  if (block) hidden.insert(hidden.end(), {HiddenValue::magic_x, HiddenValue::shift_x});
  if (any({G::ctaid_y, G::ctaid_z})) hidden.insert(hidden.end(), {HiddenValue::magic_y, HiddenValue::shift_y});
  return hidden;
}

std::uint32_t emit_hidden(BodyEditor& editor, const HiddenIndices& hidden, HiddenValue value, Type type) {
  return editor.compute(type == Type::u64 ? Type::b64 : Type::b32, Opcode::ld, {Modifier::param, modifier_of(type)},
                        {Operand::make_address_symbol({SymbolRef::Kind::parameter, hidden.at(value)})});
}

GridValueRegisters ParameterSource::emit(BodyEditor& editor, const GridValueSet& wanted) {
  GridValueRegisters result{};
  for (unsigned v = 0; v < grid_value_count; ++v) {
    if (wanted.test(v))
      result[v] = editor.compute(Type::b32, Opcode::ld, {Modifier::param, u32},
                                 {Operand::make_address_symbol({SymbolRef::Kind::parameter, parameters_[v]})});
  }
  return result;
}

GridValueRegisters BoxSource::emit(BodyEditor& editor, const GridValueSet& wanted) {
  GridValueRegisters result{};
  for (unsigned v = 0; v < grid_value_count; ++v) {
    if (!wanted.test(v)) continue;
    const auto value = static_cast<GridValue>(v);
    const std::uint32_t hidden = emit_hidden(editor, hidden_, hidden_of(value));
    result[v] = is_offset(value) ? emit_binary(editor, Opcode::add, editor.read(special_of(value)), hidden) : hidden;
  }
  return result;
}

std::uint32_t LinearSource::emit_block(BodyEditor& editor) const {
  if (block_) return *block_;
  const std::uint32_t own = editor.read(S::ctaid_x);
  return emit_binary(editor, Opcode::add, own, emit_hidden(editor, hidden_, HiddenValue::first));
}

// See RangeDivisor.
std::uint32_t LinearSource::emit_quotient(BodyEditor& editor, std::uint32_t number, HiddenValue magic,
                                          HiddenValue shift) const {
  const std::uint32_t twice = emit_binary(editor, Opcode::add, number, number);
  const std::uint32_t factor = emit_hidden(editor, hidden_, magic);
  const std::uint32_t product = editor.compute(Type::b32, Opcode::mul, {Modifier::hi, u32}, {reg(twice), reg(factor)});
  return emit_binary(editor, Opcode::shr, product, emit_hidden(editor, hidden_, shift));
}

std::uint32_t LinearSource::emit_rest(BodyEditor& editor, std::uint32_t number, std::uint32_t quotient,
                                      HiddenValue divisor) const {
  const std::uint32_t extent = emit_hidden(editor, hidden_, divisor);
  const std::uint32_t product =
      editor.compute(Type::b32, Opcode::mul, {Modifier::lo, u32}, {reg(quotient), reg(extent)});
  return emit_binary(editor, Opcode::sub, number, product);
}

GridValueRegisters LinearSource::emit(BodyEditor& editor, const GridValueSet& wanted) {
  GridValueRegisters result{};
  const auto wants = [&](GridValue value) { return wanted.test(ptx::number(value)); };
  const auto at = [&](GridValue value) -> std::uint32_t& { return result[ptx::number(value)]; };
  const bool beyond_x = wants(G::ctaid_y) || wants(G::ctaid_z);
  if (wants(G::ctaid_x) || beyond_x) {
    const std::uint32_t block = emit_block(editor);
    const std::uint32_t row = emit_quotient(editor, block, HiddenValue::magic_x, HiddenValue::shift_x);
    if (wants(G::ctaid_x)) at(G::ctaid_x) = emit_rest(editor, block, row, HiddenValue::grid_x);
    if (beyond_x) {
      at(G::ctaid_z) = emit_quotient(editor, row, HiddenValue::magic_y, HiddenValue::shift_y);
      if (wants(G::ctaid_y)) at(G::ctaid_y) = emit_rest(editor, row, at(G::ctaid_z), HiddenValue::grid_y);
    }
  }
  if (wants(G::nctaid_x)) at(G::nctaid_x) = emit_hidden(editor, hidden_, HiddenValue::grid_x);
  if (wants(G::nctaid_y)) at(G::nctaid_y) = emit_hidden(editor, hidden_, HiddenValue::grid_y);
  if (wants(G::nctaid_z)) at(G::nctaid_z) = emit_hidden(editor, hidden_, HiddenValue::grid_z);
  return result;
}

}  // namespace heddle::ptx
