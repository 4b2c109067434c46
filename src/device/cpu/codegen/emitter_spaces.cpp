#include "device/cpu/codegen/emitter_spaces.hpp"

#include <algorithm>

#include "device/cpu/codegen/call_frame.hpp"
#include "device/cpu/function_handle.hpp"
#include "device/parameter_layout.hpp"

namespace heddle::device::cpu {

using ptx::OperandKind;
using ptx::Space;
using SymbolKind = ptx::SymbolRef::Kind;

Space StateSpaces::effective_space(Space space, const ptx::Operand& operand) const {
  if (operand.base != OperandKind::symbol || space != Space::generic) return space;
  const ptx::SymbolRef& symbol = operand.symbol;
  if (symbol.kind == ptx::SymbolRef::Kind::module_variable) return kernel_.source.variables[symbol.index].space;
  if (symbol.kind == ptx::SymbolRef::Kind::local_variable) return function_.variables[symbol.index].space;
  return Space::param;
}

llvm::Value* StateSpaces::window_base(Space space) {
  switch (space) {
    case Space::shared: return inputs_.shared;
    case Space::local: return local_base();
    default: return nullptr;
  }
}

llvm::Value* StateSpaces::local_base() {
  if (!local_base_) {
    llvm::IRBuilder<> builder(context_.alloca_point);
    auto* place = builder.CreateAlloca(
        llvm::ArrayType::get(kernel_.abi.i8, std::max<std::uint64_t>(facts_.memory.bytes, 1) * lanes()), nullptr,
        "local");
    place->setAlignment(llvm::Align(std::max<std::uint64_t>(facts_.memory.alignment, 64)));
    local_base_ = place;
  }
  return local_base_;
}

llvm::Value* StateSpaces::shared_bytes() {
  Value* bytes =
      b_.CreateAdd(runtime_.field(inputs_.launch, offsetof(LaunchContext, static_shared_bytes), kernel_.abi.i32),
                   runtime_.field(inputs_.launch, offsetof(LaunchContext, dynamic_shared_bytes), kernel_.abi.i32));
  return b_.CreateZExt(bytes, kernel_.abi.i64);
}

llvm::Value* StateSpaces::points_into_shared(Value* pointer) {
  Value* offset =
      b_.CreateSub(b_.CreatePtrToInt(pointer, kernel_.abi.i64), b_.CreatePtrToInt(inputs_.shared, kernel_.abi.i64));
  return b_.CreateICmpULT(offset, shared_bytes());
}

SymbolPlace StateSpaces::symbol_place(const ptx::SymbolRef& symbol) {
  const auto at = [&](Value* base, std::uint64_t offset) {
    return b_.CreateConstGEP1_64(kernel_.abi.i8, base, offset);
  };
  switch (symbol.kind) {
    case SymbolKind::module_variable: {
      const ptx::Variable& variable = kernel_.source.variables[symbol.index];
      if (variable.space == ptx::Space::shared)
        return {at(inputs_.shared, kernel_.shared.module_variables.at(symbol.index)), 0};
      return {runtime_.variable_pointer(symbol.index), 0};
    }
    case SymbolKind::local_variable: {
      const ptx::Variable& variable = function_.variables[symbol.index];
      if (variable.space == ptx::Space::shared)
        return {at(inputs_.shared, kernel_.shared.function_variables.at(symbol.index)), 0};
      return {at(local_base(), facts_.memory.offsets.at(symbol.index)), static_cast<std::int64_t>(facts_.memory.bytes)};
    }
    case SymbolKind::parameter:
    case SymbolKind::return_parameter: {
      if (function_.is_entry)
        return {at(inputs_.parameters, parameter_layout(function_.parameters)[symbol.index].offset), 0};
      const bool result = symbol.kind == SymbolKind::return_parameter;
      const CallFrame::Place place =
          call_frame(result ? function_.returns : function_.parameters, lanes()).places[symbol.index];
      return {at(result ? inputs_.returns : inputs_.parameters, place.offset), static_cast<std::int64_t>(place.stride)};
    }
    case SymbolKind::function: break;
  }
  const std::uint64_t handle = function_handle(kernel_.source.functions[symbol.index].name);
  return {b_.CreateIntToPtr(b_.getInt64(handle), kernel_.abi.pointer), 0};
}

llvm::Value* StateSpaces::symbol_address(const ptx::SymbolRef& symbol, std::int64_t offset) {
  const auto number = [&](std::uint64_t value) { return b_.getInt64(value + static_cast<std::uint64_t>(offset)); };
  if (symbol.kind == SymbolKind::module_variable && kernel_.source.variables[symbol.index].space == ptx::Space::shared)
    return number(kernel_.shared.module_variables.at(symbol.index));
  if (symbol.kind == SymbolKind::local_variable) {
    const ptx::Space space = function_.variables[symbol.index].space;
    if (space == ptx::Space::shared) return number(kernel_.shared.function_variables.at(symbol.index));
    if (space == ptx::Space::local) return number(facts_.memory.offsets.at(symbol.index));
  }
  const SymbolPlace place = symbol_place(symbol);
  return b_.CreateAdd(b_.CreatePtrToInt(place.pointer, kernel_.abi.i64),
                      b_.getInt64(static_cast<std::uint64_t>(offset)));
}

// Global, constant and parameter addresses are generic already.
llvm::Value* StateSpaces::convert(const ptx::Instruction& inst, Value* address) {
  const bool is_vector = address->getType()->isVectorTy();
  llvm::Type* wide = is_vector ? vector_of(kernel_.abi.i64) : kernel_.abi.i64;
  if (address->getType()->getScalarSizeInBits() != 64)
    address = inst.d.space == Space::shared || inst.d.space == Space::local ? b_.CreateSExt(address, wide)
                                                                            : b_.CreateZExt(address, wide);
  Value* window = window_base(inst.d.space);
  if (!window) return address;
  Value* base = b_.CreatePtrToInt(window, kernel_.abi.i64);
  if (is_vector) {
    base = splat(base);
    if (inst.d.space == Space::local)
      base = b_.CreateAdd(base, ramp(b_.getInt64(0), lane_steps(static_cast<std::int64_t>(facts_.memory.bytes))));
  }
  return inst.d.to ? b_.CreateSub(address, base) : b_.CreateAdd(address, base);
}

}  // namespace heddle::device::cpu
