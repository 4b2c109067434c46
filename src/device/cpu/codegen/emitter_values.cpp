// Registers and operands as LLVM values.
#include "device/cpu/codegen/emitter.hpp"

#include <algorithm>
#include <bit>

#include <llvm/IR/Constants.h>

#include "ptx/forms.hpp"

namespace heddle::device::cpu {

// Describes an affine register that rests on a single widening of a value with one step from lane to lane.
std::optional<FunctionEmitter::Wrapped> FunctionEmitter::wrapped_source(std::uint32_t reg) {
  const auto& assumptions = facts_.assumptions(reg);
  if (assumptions.size() != 1) return std::nullopt;
  const ptx::analysis::NoWrapAssumption& fact = facts_.no_wrap[assumptions[0]];
  const ptx::Operand& operand = function_.body[fact.instruction].operands[fact.operand];
  const auto source = facts_.lane_offsets(registers_.form_of(operand)), result = facts_.lane_offsets(facts_.forms[reg]);
  Wrapped wrapped;
  wrapped.step = source[1];
  if (wrapped.step == 0 || result[1] % wrapped.step != 0) return std::nullopt;
  wrapped.scale = result[1] / wrapped.step;
  for (unsigned lane = 0; lane < lanes(); ++lane)
    if (source[lane] != wrapped.step * lane || result[lane] != wrapped.scale * source[lane]) return std::nullopt;
  wrapped.is_signed = fact.is_signed;
  wrapped.width = fact.width;
  Value* narrow =
      b_.CreateZExtOrTrunc(registers_.read(operand.index), llvm::IntegerType::get(kernel_.llvm, fact.width));
  wrapped.source = fact.is_signed ? b_.CreateSExt(narrow, kernel_.abi.i64) : b_.CreateZExt(narrow, kernel_.abi.i64);
  return wrapped;
}

}  // namespace heddle::device::cpu
