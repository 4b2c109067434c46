// Conversions, moves and packing in the evaluation of lanes.
#include <algorithm>

#include "ptx/analysis/lanes/lane_evaluator.hpp"

namespace heddle::ptx::analysis {

LaneValue LaneEvaluator::widen(const LaneValue& value, std::uint16_t number, bool is_signed, unsigned from,
                               unsigned to) {
  bool needs_check = false;
  LaneValue result = arithmetic_.extend(value, is_signed, from, to, needs_check);
  if (needs_check) widening_ = {true, number, is_signed, from};
  return result;
}

LaneValue LaneEvaluator::convert(const RegisterOccurrence& definition) {
  const Type to = inst_.d.type, from = inst_.d.type2;
  if (!is_integer(to) || !is_integer(from) || inst_.d.sat || inst_.operands.size() != 2) return generic();
  const unsigned from_width = bit_width(from), to_width = bit_width(to);
  const unsigned register_width = bit_width(context_.function.registers[definition.reg].type);
  LaneValue value = at_width(1, from_width);
  if (to_width > from_width) value = widen(value, 1, is_signed(from), from_width, to_width);
  if (to_width < from_width) value = arithmetic_.truncate(value, to_width);
  if (register_width <= to_width) return value;
  if (widening_.present) return generic();  // two widenings of one value: not worth two checks
  return widen(value, 1, is_signed(to), to_width, register_width);
}

LaneValue LaneEvaluator::move(const RegisterOccurrence& definition) {
  const Operand& from = inst_.operands[1];
  const Operand& to = inst_.operands[0];
  const unsigned width = std::max(1u, bit_width(inst_.d.type));
  if (from.kind == OperandKind::vector) return generic();  // packing
  const LaneValue value = at_width(1, width);
  if (to.kind != OperandKind::vector) return value;
  const auto parts = static_cast<unsigned>(to.elements.size());
  if (width > 64) return generic();
  if (definition.element == 0) return arithmetic_.truncate(value, width / parts);
  const LaneValue count = LaneValue::constant(definition.element * (width / parts), 32);
  return arithmetic_.truncate(arithmetic_.shift_right(value, count, false, width), width / parts);
}

// A window's place among generic addresses is the same for all lanes, but for local memory, where each has its own.
LaneValue LaneEvaluator::to_generic() const {
  if (inst_.d.space == Space::local) return LaneValue::varying();
  LaneValue value = at_width(1, bit_width(inst_.d.type));
  if (value.is_constant()) value = LaneValue::make_uniform(true);
  value.range = {};
  value.base_zeros = 0;
  value.tag = LaneValue::Tag::none;
  return value;
}

}  // namespace heddle::ptx::analysis
