#include "device/cpu/codegen/emitter_warp_groups.hpp"

#include <llvm/IR/Constants.h>

namespace heddle::device::cpu {

using ptx::Type;
using ptx::WarpMode;

llvm::Value* GroupInstructions::bits(const ptx::Instruction& inst, const ptx::Operand& members) {
  return b_.CreateAnd(registers_.vector(members, Type::b32),
                      splat(mask_bits(mask_or_full(registers_.instruction_mask(inst)))));
}

// For each lane the first lane of its group; lanes that do not run get 0.
llvm::Value* GroupInstructions::first_lanes(Value* groups) {
  return b_.CreateAnd(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, groups, b_.getFalse()), splat(b_.getInt32(31)));
}

void GroupInstructions::vote(const ptx::Instruction& inst) {
  Value* groups = bits(inst, inst.operands[2]);
  Value* yes = b_.CreateAnd(
      groups,
      splat(mask_bits(both(registers_.instruction_mask(inst), registers_.vector(inst.operands[1], Type::pred)))));
  Value* zero = llvm::Constant::getNullValue(yes->getType());
  Value* all = b_.CreateICmpEQ(yes, groups);
  switch (inst.d.warp) {
    case WarpMode::all: return registers_.write_operand(inst.operands[0], Type::pred, all);
    case WarpMode::any: return registers_.write_operand(inst.operands[0], Type::pred, b_.CreateICmpNE(yes, zero));
    case WarpMode::uni:
      return registers_.write_operand(inst.operands[0], Type::pred, b_.CreateOr(all, b_.CreateICmpEQ(yes, zero)));
    default: return registers_.write_operand(inst.operands[0], Type::b32, yes);
  }
}

void GroupInstructions::elect(const ptx::Instruction& inst) {
  Value* leaders = first_lanes(bits(inst, inst.operands[2]));
  registers_.write_operand(inst.operands[0], Type::b32, leaders);
  registers_.write_operand(inst.operands[1], Type::pred, b_.CreateICmpEQ(lane_numbers(kernel_.abi.i32), leaders));
}

void GroupInstructions::match_all(const ptx::Instruction& inst) {
  Value* groups = bits(inst, inst.operands.back());
  Value* values = registers_.vector(inst.operands[2], inst.d.type);
  llvm::Type* element = values->getType()->getScalarType();
  Value* index = b_.CreateZExt(first_lanes(groups), vector_of(kernel_.abi.i64));
  Value* first = elements_.gather(b_.CreateGEP(element, spill(values), index), element,
                                  element->getScalarSizeInBits() / 8, nullptr);
  Value* equal =
      b_.CreateAnd(groups, splat(mask_bits(both(registers_.instruction_mask(inst), b_.CreateICmpEQ(values, first)))));
  Value* same = b_.CreateICmpEQ(equal, groups);
  registers_.write_operand(inst.operands[0], Type::b32,
                           b_.CreateSelect(same, groups, llvm::Constant::getNullValue(groups->getType())));
  if (inst.operands[1].present()) registers_.write_operand(inst.operands[1], Type::pred, same);
}

// One group after the other.
void GroupInstructions::redux(const ptx::Instruction& inst) {
  Value* groups = bits(inst, inst.operands[2]);
  Value* values = registers_.vector(inst.operands[1], inst.d.type);
  Value* spilled = spill(groups);
  llvm::AllocaInst* results = entry_alloca(values->getType(), "group_results");
  b_.CreateStore(llvm::Constant::getNullValue(values->getType()), results);
  Value* leads = b_.CreateICmpEQ(lane_numbers(kernel_.abi.i32), first_lanes(groups));
  branches_.for_each_lane(both(registers_.instruction_mask(inst), leads), [&](Value* lane) {
    Value* group = b_.CreateBitCast(element_at(spilled, kernel_.abi.i32, lane), vector_of(kernel_.abi.i1));
    Value* result = splat(reductions_.reduce(inst, values, group));
    b_.CreateStore(b_.CreateSelect(group, result, b_.CreateLoad(values->getType(), results)), results);
  });
  registers_.write_operand(inst.operands[0], inst.d.type, b_.CreateLoad(values->getType(), results));
}

}  // namespace heddle::device::cpu
