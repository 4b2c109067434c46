#include "device/cpu/codegen/emitter_checks.hpp"

#include <llvm/IR/Constants.h>

namespace heddle::device::cpu {

using ptx::Modifier;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

void Checks::check_access(const ptx::Instruction& inst, const ptx::Operand& operand, Space space, unsigned bytes,
                          std::uint32_t access, Value* mask, Value* sizes) {
  if (space == Space::param && function_.is_entry && operand.base == OperandKind::symbol)
    return;  // checked by the verifier
  if (operand.base == OperandKind::symbol && operand.symbol.kind == ptx::SymbolRef::Kind::local_variable &&
      function_.variables[operand.symbol.index].space == Space::param)
    return;
  const std::uint64_t window = space == Space::local ? facts_.memory.bytes : 0;
  auto* places = entry_alloca(llvm::ArrayType::get(kernel_.abi.i64, lanes()), "checked");
  Value* addresses = nullptr;
  const auto as_wide = [&](Value* value) {
    llvm::Type* wide = value->getType()->isVectorTy() ? vector_of(kernel_.abi.i64) : kernel_.abi.i64;
    if (value->getType()->getScalarSizeInBits() == 64) return value;
    return spaces_.window_base(space) ? b_.CreateSExt(value, wide) : b_.CreateZExt(value, wide);
  };
  if (operand.base == OperandKind::reg) {
    addresses =
        lanes() == 1 ? as_wide(registers_.read(operand.index)) : as_wide(registers_.register_vector(operand.index));
  } else if (operand.base == OperandKind::symbol) {
    addresses = splat(spaces_.symbol_address(operand.symbol, 0));
  } else {
    addresses = splat(b_.getInt64(0));
  }
  Value* offset = b_.getInt64(static_cast<std::uint64_t>(operand.value));
  addresses = b_.CreateAdd(addresses, lanes() == 1 ? offset : splat(offset));
  b_.CreateAlignedStore(addresses, places, llvm::Align(8));  // the array's alignment, not the vector's
  Value* bits = lanes() == 1 ? b_.getInt32(1) : b_.CreateZExtOrTrunc(mask_bits(mask_or_full(mask)), kernel_.abi.i32);
  runtime_.note_line(inst);
  runtime_.call(
      offsetof(RuntimeTable, check), b_.getVoidTy(),
      {inputs_.warp, places, sizes ? sizes : llvm::ConstantPointerNull::get(kernel_.abi.pointer), bits,
       b_.getInt32(bytes), b_.getInt32(static_cast<std::uint32_t>(space)), b_.getInt32(access), b_.getInt64(window)});
}

namespace {

// The member mask of a warp operation; null for what has none.
const ptx::Operand* member_mask(const ptx::Instruction& inst) {
  const auto operand = [&](std::size_t i) { return i < inst.operands.size() ? &inst.operands[i] : nullptr; };
  switch (inst.opcode) {
    case Opcode::shfl: return operand(5);
    case Opcode::vote:
    case Opcode::redux:
    case Opcode::elect: return operand(2);
    case Opcode::match: return &inst.operands.back();
    case Opcode::bar:
    case Opcode::barrier: return inst.has(Modifier::warp) ? operand(0) : nullptr;
    default: return nullptr;
  }
}

}  // namespace

void Checks::check_members(const ptx::Instruction& inst) {
  const ptx::Operand* operand = member_mask(inst);
  if (operand == nullptr || !operand->present()) return;
  auto* places = entry_alloca(llvm::ArrayType::get(kernel_.abi.i32, lanes()), "members");
  b_.CreateAlignedStore(lanes() == 1 ? registers_.lane0(*operand, Type::b32) : registers_.vector(*operand, Type::b32),
                        places, llvm::Align(4));
  Value* bits = lanes() == 1
                    ? b_.getInt32(1)
                    : b_.CreateZExtOrTrunc(mask_bits(mask_or_full(registers_.instruction_mask(inst))), kernel_.abi.i32);
  runtime_.note_line(inst);
  runtime_.call(offsetof(RuntimeTable, check_members), b_.getVoidTy(), {inputs_.warp, places, bits});
}

}  // namespace heddle::device::cpu
