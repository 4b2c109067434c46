#include "ptx/analysis/lanes/lane_load.hpp"

namespace heddle::ptx::analysis {
namespace {

// Values that an integer loaded from memory can have.
Interval loaded_range(Type type, unsigned register_width) {
  const unsigned width = bit_width(type);
  return width < register_width && (is_integer(type) || is_bits(type)) ? all_of(is_signed(type), width)
                                                                       : Interval::any();
}

}  // namespace

LaneValue loaded_value(const LaneContext& context, const Instruction& inst, const LaneValue& address) {
  const Operand& from = inst.operands[1];
  LaneValue value = LaneArithmetic::generic({&address});
  const unsigned register_width = 64;
  value.range = loaded_range(inst.d.type, register_width);
  const bool is_symbol = from.base == OperandKind::symbol;
  Space space = inst.d.space;
  if (is_symbol && space == Space::generic) {
    if (from.symbol.kind == SymbolRef::Kind::module_variable) space = context.module.variables[from.symbol.index].space;
    if (from.symbol.kind == SymbolRef::Kind::local_variable)
      space = context.function.variables[from.symbol.index].space;
  }
  LaneValue unknown = LaneValue::varying();
  unknown.range = value.range;
  switch (space) {
    case Space::param:
      if (is_symbol && from.symbol.kind != SymbolRef::Kind::parameter) return unknown;  // the result of a call
      if (context.function.is_entry || context.uniform_parameters) return value;
      return unknown;
    case Space::constant: return value;
    case Space::local: return unknown;
    case Space::generic:
      if (context.local_has_generic_addresses) return unknown;
      break;
    default: break;
  }
  if (inst.d.order != Order::weak) return unknown;
  // Other threads of the block may load before or after somebody writes.
  value.block_uniform &= inst.d.nc || inst.opcode == Opcode::ldu;
  return value;
}

}  // namespace heddle::ptx::analysis
