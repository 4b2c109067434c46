#include "device/machine/operand_value.hpp"

#include "ptx/semantics/convert.hpp"

namespace heddle::device::machine {

using ptx::OperandKind;
using ptx::Type;

std::uint64_t immediate_value(const ptx::Operand& operand, Type type) {
  const unsigned width = ptx::bit_width(type);
  auto bits = static_cast<std::uint64_t>(operand.value);
  if (operand.kind == OperandKind::integer) {
    if (type == Type::pred) return (operand.value != 0) != operand.negated;
  } else {
    const bool single = operand.real_type == Type::f32;
    if (ptx::is_float(type) && ptx::element_count(type) == 1) {
      bits = ptx::semantics::convert(type, single ? Type::f32 : Type::f64, bits, {});
    } else if (!single && width == 32) {
      bits = ptx::semantics::convert(Type::f32, Type::f64, bits, {});
    }
  }
  return low_bits(bits, width == 0 ? 64 : width);
}

}  // namespace heddle::device::machine
