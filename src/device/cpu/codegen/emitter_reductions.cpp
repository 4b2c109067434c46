#include "device/cpu/codegen/emitter_reductions.hpp"

#include <llvm/IR/Constants.h>

#include "ptx/forms.hpp"

namespace heddle::device::cpu {

using ptx::Modifier;
using ptx::Opcode;
using ptx::ReduceOp;

llvm::Value* LaneReductions::reduce(const ptx::Instruction& inst, Value* values, Value* mask) {
  if (ptx::is_float(inst.d.type)) return reduce_floats(inst, values, mask);
  const bool is_signed = ptx::is_signed(inst.d.type);
  const auto reduce = [&](std::uint32_t neutral, llvm::Intrinsic::ID id) {
    return b_.CreateUnaryIntrinsic(id, mask ? b_.CreateSelect(mask, values, splat(b_.getInt32(neutral))) : values);
  };
  switch (inst.d.reduce) {
    case ReduceOp::add: return reduce(0, llvm::Intrinsic::vector_reduce_add);
    case ReduceOp::and_: return reduce(0xffffffffu, llvm::Intrinsic::vector_reduce_and);
    case ReduceOp::or_: return reduce(0, llvm::Intrinsic::vector_reduce_or);
    case ReduceOp::xor_: return reduce(0, llvm::Intrinsic::vector_reduce_xor);
    case ReduceOp::min:
      return is_signed ? reduce(0x7fffffffu, llvm::Intrinsic::vector_reduce_smin)
                       : reduce(0xffffffffu, llvm::Intrinsic::vector_reduce_umin);
    case ReduceOp::max:
      return is_signed ? reduce(0x80000000u, llvm::Intrinsic::vector_reduce_smax)
                       : reduce(0, llvm::Intrinsic::vector_reduce_umax);
    default: refuse(inst, "this reduction is not supported by the CPU device");
  }
}

// redux.f32 (min, max, with .abs and .NaN): the lanes one after the other, by the min and max instructions.
llvm::Value* LaneReductions::reduce_floats(const ptx::Instruction& inst, Value* values, Value* mask) {
  ptx::Instruction step;
  step.where = inst.where;
  step.opcode = inst.d.reduce == ReduceOp::min ? Opcode::min : Opcode::max;
  step.d.type = inst.d.type;
  step.d.nan = inst.d.nan;
  step.operands.resize(3);
  llvm::Type* type = memory_type(inst.d.type);
  if (inst.has(Modifier::abs)) values = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, values);
  Value* spilled = spill(values);
  llvm::AllocaInst* result = entry_alloca(type, "redux");
  llvm::AllocaInst* started = entry_alloca(kernel_.abi.i1, "redux_started");
  b_.CreateStore(b_.getFalse(), started);
  branches_.for_each_lane(mask, [&](Value* lane) {
    Value* value = element_at(spilled, type, lane);
    Value* old = b_.CreateSelect(b_.CreateLoad(kernel_.abi.i1, started), b_.CreateLoad(type, result), value);
    Value* operands[] = {old, value};
    Value* no_carry = b_.getInt32(0);
    b_.CreateStore(arithmetic_.emit(step, operands, nullptr, no_carry)[0], result);
    b_.CreateStore(b_.getTrue(), started);
  });
  return b_.CreateLoad(type, result);
}

}  // namespace heddle::device::cpu
