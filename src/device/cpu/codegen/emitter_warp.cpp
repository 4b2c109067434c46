#include "device/cpu/codegen/emitter_warp.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicsX86.h>

namespace heddle::device::cpu {

using ptx::Opcode;
using ptx::Type;
using ptx::WarpMode;

// Lanes that take part: those that run now and that the member mask, the same for all, names.
llvm::Value* WarpInstructions::members(const ptx::Instruction& inst, const ptx::Operand* operand) {
  Value* mask = registers_.instruction_mask(inst);
  if (!operand || !operand->present()) return mask;
  if (operand->kind == ptx::OperandKind::integer && static_cast<std::uint32_t>(operand->value) == 0xffffffffu)
    return mask;
  if (lanes() != 32) return mask;
  return both(mask, b_.CreateBitCast(registers_.lane0(*operand, Type::b32), vector_of(kernel_.abi.i1)));
}

// Lanes may have different member masks.
bool WarpInstructions::has_groups(const ptx::Operand& members) const {
  return members.present() && !registers_.is_scalar(members);
}

// result[l] = vector[index[l]], indices 0..31.
llvm::Value* WarpInstructions::permute(Value* values, Value* index) {
  llvm::Type* element = values->getType()->getScalarType();
  if (kernel_.features.avx512 && lanes() == 32 && element->getScalarSizeInBits() == 32) {
    // Two-source permutations of 16 lanes pick from all 32.
    const auto half = [&](Value* whole, int offset) {
      std::vector<int> pick;
      for (int i = 0; i < 16; ++i) pick.push_back(offset + i);
      return b_.CreateShuffleVector(whole, pick);
    };
    Value* bits = b_.CreateBitCast(values, vector_of(kernel_.abi.i32));
    std::vector<Value*> halves;
    for (int h = 0; h < 2; ++h)
      halves.push_back(b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_d_512, {},
                                          {half(bits, 0), half(index, 16 * h), half(bits, 16)}));
    std::vector<int> join;
    for (int i = 0; i < 32; ++i) join.push_back(i);
    return b_.CreateBitCast(b_.CreateShuffleVector(halves[0], halves[1], join), values->getType());
  }
  Value* spilled = spill(values);
  Value* pointers = b_.CreateGEP(element, spilled, b_.CreateZExt(index, vector_of(kernel_.abi.i64)));
  return elements_.gather(pointers, element, element->getScalarSizeInBits() / 8, nullptr);
}

void WarpInstructions::emit(const ptx::Instruction& inst) {
  if (inst.opcode == Opcode::mma || inst.opcode == Opcode::wmma) return matrices_.multiply(inst);
  if (lanes() == 1) return met_.emit(inst);
  switch (inst.opcode) {
    case Opcode::shfl: return shfl(inst);
    case Opcode::vote: return vote(inst);
    case Opcode::match: return match(inst);
    case Opcode::redux: return redux(inst);
    case Opcode::elect: return elect(inst);
    case Opcode::activemask:
      return registers_.write_operand(inst.operands[0], Type::b32,
                                      mask_bits(mask_or_full(registers_.instruction_mask(inst))));
    // bar.warp: the lanes of a warp run in step; only the compiler must not move accesses.
    default: b_.CreateFence(llvm::AtomicOrdering::AcquireRelease, llvm::SyncScope::SingleThread);
  }
}

// PTX ISA 9.7.9.6: segment and clamp come from c = (segmask << 8) | clamp.
void WarpInstructions::shfl(const ptx::Instruction& inst) {
  const ptx::Operand &result = inst.operands[0], &predicate = inst.operands[1], &value = inst.operands[2],
                     &distance = inst.operands[3], &control = inst.operands[4];
  auto* i32 = vector_of(kernel_.abi.i32);
  Value* lane = lane_numbers(kernel_.abi.i32);
  Value* b = b_.CreateAnd(registers_.vector(distance, Type::u32), splat(b_.getInt32(31)));
  Value* c = registers_.vector(control, Type::u32);
  Value* segment = b_.CreateAnd(b_.CreateLShr(c, splat(b_.getInt32(8))), splat(b_.getInt32(31)));
  Value* clamp = b_.CreateAnd(c, splat(b_.getInt32(31)));
  Value* limit = b_.CreateOr(b_.CreateAnd(lane, segment), b_.CreateAnd(clamp, b_.CreateNot(segment)));
  Value* lowest = b_.CreateAnd(lane, segment);
  Value *from = nullptr, *inside = nullptr;
  switch (inst.d.warp) {
    case WarpMode::up:
      from = b_.CreateSub(lane, b);
      inside = b_.CreateICmpSGE(from, limit);
      break;
    case WarpMode::down:
      from = b_.CreateAdd(lane, b);
      inside = b_.CreateICmpSLE(from, limit);
      break;
    case WarpMode::bfly:
      from = b_.CreateXor(lane, b);
      inside = b_.CreateICmpSLE(from, limit);
      break;
    default: from = b_.CreateOr(lowest, b_.CreateAnd(b, b_.CreateNot(segment))); inside = b_.CreateICmpSLE(from, limit);
  }
  from = b_.CreateSelect(inside, from, lane);
  Value* moved = permute(b_.CreateBitCast(registers_.vector(value, Type::b32), i32), from);
  registers_.write_operand(result, Type::b32, moved);
  if (predicate.present()) registers_.write_operand(predicate, Type::pred, inside);
}

void WarpInstructions::vote(const ptx::Instruction& inst) {
  if (inst.operands.size() > 2 && has_groups(inst.operands[2])) return groups_.vote(inst);
  const ptx::Operand& result = inst.operands[0];
  Value* mask = members(inst, inst.operands.size() > 2 ? &inst.operands[2] : nullptr);
  Value* holds = registers_.vector(inst.operands[1], Type::pred);
  Value* yes = mask_bits(both(mask, holds));
  Value* all = mask_bits(mask_or_full(mask));
  Value* zero = llvm::ConstantInt::get(yes->getType(), 0);
  switch (inst.d.warp) {
    case WarpMode::all: return registers_.write_operand(result, Type::pred, b_.CreateICmpEQ(yes, all));
    case WarpMode::any: return registers_.write_operand(result, Type::pred, b_.CreateICmpNE(yes, zero));
    case WarpMode::uni:
      return registers_.write_operand(result, Type::pred,
                                      b_.CreateOr(b_.CreateICmpEQ(yes, all), b_.CreateICmpEQ(yes, zero)));
    default: return registers_.write_operand(result, Type::b32, b_.CreateZExt(yes, kernel_.abi.i32));
  }
}

void WarpInstructions::elect(const ptx::Instruction& inst) {
  if (has_groups(inst.operands[2])) return groups_.elect(inst);
  Value* bits = mask_bits(mask_or_full(members(inst, &inst.operands[2])));
  Value* leader = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b_.getFalse());
  registers_.write_operand(inst.operands[0], Type::b32, leader);
  registers_.write_operand(inst.operands[1], Type::pred, b_.CreateICmpEQ(lane_numbers(kernel_.abi.i32), splat(leader)));
}

void WarpInstructions::match(const ptx::Instruction& inst) {
  const bool all = inst.d.warp == WarpMode::all;
  const bool groups = has_groups(inst.operands.back());
  if (all && groups) return groups_.match_all(inst);
  Value* mask = groups ? registers_.instruction_mask(inst) : members(inst, &inst.operands.back());
  Value* values = registers_.vector(inst.operands[all ? 2 : 1], inst.d.type);
  llvm::Type* element = values->getType()->getScalarType();
  Value* spilled = spill(values);
  Value* bits = mask_bits(mask_or_full(mask));
  if (all) return match_all(inst, values, spilled, mask, bits);
  llvm::AllocaInst* results = entry_alloca(vector_of(kernel_.abi.i32), "matches");
  b_.CreateStore(llvm::Constant::getNullValue(vector_of(kernel_.abi.i32)), results);
  branches_.for_each_lane(mask, [&](Value* lane) {
    Value* equal = b_.CreateICmpEQ(values, splat(element_at(spilled, element, lane)));
    b_.CreateStore(mask_bits(both(mask, equal)), element_pointer(results, kernel_.abi.i32, lane));
  });
  Value* matches = b_.CreateLoad(vector_of(kernel_.abi.i32), results);
  if (groups) matches = b_.CreateAnd(matches, groups_.bits(inst, inst.operands.back()));
  registers_.write_operand(inst.operands[0], Type::b32, matches);
}

// `spilled` are the values in memory, `bits` those of the mask.
void WarpInstructions::match_all(const ptx::Instruction& inst, Value* values, Value* spilled, Value* mask,
                                 Value* bits) {
  llvm::Type* element = values->getType()->getScalarType();
  Value* first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b_.getFalse());
  first = b_.CreateAnd(first, b_.getInt32(31));
  Value* equal = b_.CreateICmpEQ(values, splat(element_at(spilled, element, first)));
  Value* same = b_.CreateICmpEQ(mask_bits(both(mask, equal)), bits);
  registers_.write_operand(inst.operands[0], Type::b32, b_.CreateSelect(same, bits, b_.getInt32(0)));
  if (inst.operands[1].present()) registers_.write_operand(inst.operands[1], Type::pred, same);
}

void WarpInstructions::redux(const ptx::Instruction& inst) {
  if (has_groups(inst.operands[2])) return groups_.redux(inst);
  Value* values = registers_.vector(inst.operands[1], inst.d.type);
  registers_.write_operand(inst.operands[0], inst.d.type,
                           reductions_.reduce(inst, values, members(inst, &inst.operands[2])));
}

}  // namespace heddle::device::cpu
