#include "device/machine/row_op.hpp"

#include <algorithm>

#include "device/machine/operand_value.hpp"

namespace heddle::device::machine {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;

RowFinish row_finish(Type result, unsigned width, bool exact) {
  const unsigned bits = result == Type::none ? 64 : ptx::bit_width(result);
  RowFinish finish;
  if (ptx::is_signed(result) && ptx::element_count(result) == 1 && bits < width) {
    finish.extend_from = static_cast<std::uint8_t>(bits);
    finish.masks = width < 64;
    finish.mask = low_bits(~std::uint64_t{0}, width);
    return finish;
  }
  const unsigned kept = std::min(bits, width);
  finish.masks = kept < 64 && (!exact || bits > width);
  finish.mask = low_bits(~std::uint64_t{0}, kept);
  return finish;
}

RowSource row_source(const Operand& operand, Type type, unsigned number) {
  RowSource source;
  source.operand = static_cast<std::uint8_t>(number);
  source.type = type;
  switch (operand.kind) {
    case OperandKind::reg:
      source.kind = RowSource::Kind::reg;
      source.reg = operand.index;
      source.negated = type == Type::pred && operand.negated;
      break;
    case OperandKind::integer:
    case OperandKind::real:
      source.kind = RowSource::Kind::constant;
      source.value = immediate_value(operand, type);
      break;
    case OperandKind::special:
    case OperandKind::symbol: source.kind = RowSource::Kind::lanes; break;
    default: break;
  }
  return source;
}

}  // namespace heddle::device::machine
