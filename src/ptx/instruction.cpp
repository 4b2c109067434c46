#include "ptx/instruction.hpp"

#include <bit>

namespace heddle::ptx {

Operand Operand::make_reg(std::uint32_t reg) {
  Operand operand;
  operand.kind = OperandKind::reg;
  operand.index = reg;
  return operand;
}

Operand Operand::make_integer(std::int64_t value) {
  Operand operand;
  operand.kind = OperandKind::integer;
  operand.value = value;
  return operand;
}

Operand Operand::make_f32(float value) {
  Operand operand;
  operand.kind = OperandKind::real;
  operand.real_type = Type::f32;
  operand.value = std::bit_cast<std::uint32_t>(value);
  return operand;
}

Operand Operand::make_f64(double value) {
  Operand operand;
  operand.kind = OperandKind::real;
  operand.real_type = Type::f64;
  operand.value = std::bit_cast<std::int64_t>(value);
  return operand;
}

Operand Operand::make_address_reg(std::uint32_t reg, std::int64_t offset) {
  Operand operand;
  operand.kind = OperandKind::address;
  operand.base = OperandKind::reg;
  operand.index = reg;
  operand.value = offset;
  return operand;
}

Operand Operand::make_address_symbol(SymbolRef symbol, std::int64_t offset) {
  Operand operand;
  operand.kind = OperandKind::address;
  operand.base = OperandKind::symbol;
  operand.symbol = symbol;
  operand.value = offset;
  return operand;
}

bool Instruction::is_terminator() const {
  if (guard.present) return false;
  switch (opcode) {
    case Opcode::bra:
    case Opcode::brx:
    case Opcode::ret:
    case Opcode::exit:
    case Opcode::trap: return true;
    default: return false;
  }
}

}  // namespace heddle::ptx
