#include "device/cpu/codegen/emitter_addresses.hpp"

namespace heddle::device::cpu {

using ptx::OperandKind;
using ptx::Space;
using Kind = ValueForm::Kind;

Address& Address::settle() {
  form = Form::uniform;
  for (std::int64_t offset : offsets)
    if (offset != 0) form = Form::affine;
  return *this;
}

Address Addresses::of(const ptx::Operand& operand, Space space) {
  if (operand.base == OperandKind::symbol) {
    Address place = advance(of_place(spaces_.symbol_place(operand.symbol)), operand.value);
    // Variables for the parameters of calls are in the same space, and calls that were inlined write them.
    place.is_parameter = function_.is_entry && operand.symbol.kind == ptx::SymbolRef::Kind::parameter;
    return place;
  }
  const auto frame = space == Space::local ? lane_steps(static_cast<std::int64_t>(facts_.memory.bytes)) : lane_steps(0);
  Value* window = spaces_.window_base(space);
  Address result;
  result.offsets = frame;
  if (operand.base != OperandKind::reg) {
    result.base = pointer_at(window, b_.getInt64(static_cast<std::uint64_t>(operand.value)));
    return result.settle();
  }
  const ValueForm form = lanes() == 1 ? ValueForm{Kind::uniform} : facts_.forms[operand.index];
  if (form.kind == Kind::varying) {
    Value* lane_window =
        window && space == Space::local ? b_.CreateGEP(kernel_.abi.i8, window, ramp(b_.getInt64(0), frame)) : window;
    result.form = Address::Form::varying;
    result.vector = pointer_at(lane_window, registers_.read(operand.index));
    return advance(result, operand.value);
  }
  result.base = pointer_at(window, registers_.read(operand.index));
  const auto offsets = facts_.lane_offsets(form);
  for (unsigned lane = 0; lane < lanes(); ++lane) result.offsets[lane] += offsets[lane];
  if (form.kind == Kind::affine && !facts_.assumptions(operand.index).empty()) {
    for (std::uint32_t assumption : facts_.assumptions(operand.index))
      result.ok = both(result.ok, registers_.no_wrap(assumption));
    const std::uint32_t reg = operand.index;
    result.exact = [this, window, reg] { return pointer_at(window, registers_.register_vector(reg)); };
    result.wrapped = wrapped_source(reg);
  }
  return advance(result.settle(), operand.value);
}

Address Addresses::of_place(const SymbolPlace& place) {
  Address result;
  result.base = place.pointer;
  result.offsets = lane_steps(place.stride);
  return result.settle();
}

// Describes an affine register that rests on a single widening of a value with one step from lane to lane.
std::optional<Wrapped> Addresses::wrapped_source(std::uint32_t reg) {
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

Address Addresses::advance(const Address& address, std::int64_t bytes) {
  if (bytes == 0) return address;
  Address result = address;
  Value* step = b_.getInt64(static_cast<std::uint64_t>(bytes));
  if (address.base) result.base = b_.CreateGEP(kernel_.abi.i8, address.base, step);
  if (address.vector) result.vector = b_.CreateGEP(kernel_.abi.i8, address.vector, step);
  if (address.exact)
    result.exact = [this, exact = address.exact, step] { return b_.CreateGEP(kernel_.abi.i8, exact(), step); };
  return result;
}

llvm::Value* Addresses::lane_pointers(const Address& address) {
  if (lanes() == 1) return address.base;
  switch (address.form) {
    case Address::Form::uniform: return splat(address.base);
    case Address::Form::varying: return address.vector;
    case Address::Form::affine: break;
  }
  if (address.exact) return address.exact();
  return b_.CreateGEP(kernel_.abi.i8, address.base, ramp(b_.getInt64(0), address.offsets));
}

llvm::Value* Addresses::pointer_at(Value* window, Value* address) {
  if (!window) {
    Value* wide =
        address->getType()->getScalarSizeInBits() == 64 ? address : b_.CreateZExt(address, wide_like(address));
    return b_.CreateIntToPtr(wide,
                             address->getType()->isVectorTy() ? vector_of(kernel_.abi.pointer) : kernel_.abi.pointer);
  }
  // Windows are smaller than 2 GiB: an offset in a 32-bit register may be taken as signed, so that lane 0 may stand in
  // front of the window while it does not take part.
  Value* wide = address->getType()->getScalarSizeInBits() == 64 ? address : b_.CreateSExt(address, wide_like(address));
  return b_.CreateGEP(kernel_.abi.i8, window, wide);
}

}  // namespace heddle::device::cpu
