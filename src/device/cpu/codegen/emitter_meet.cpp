#include "device/cpu/codegen/emitter_meet.hpp"

#include <llvm/IR/Constants.h>

namespace heddle::device::cpu {

using ptx::Modifier;
using ptx::Opcode;
using ptx::ReduceOp;
using ptx::Type;
using ptx::WarpMode;

MetWarpInstructions::Meeting MetWarpInstructions::meet(const ptx::Instruction& inst, const ptx::Operand* member_mask,
                                                       Value* value) {
  Meeting meeting;
  meeting.values = entry_alloca(llvm::ArrayType::get(kernel_.abi.i64, 32), "meeting");
  Value* members =
      member_mask && member_mask->present() ? registers_.lane0(*member_mask, Type::b32) : b_.getInt32(0xffffffffu);
  Value* wide = b_.CreateZExtOrTrunc(value, kernel_.abi.i64);
  runtime_.note_line(inst);
  meeting.present =
      runtime_.call(offsetof(RuntimeTable, warp_meet), kernel_.abi.i32, {inputs_.warp, members, wide, meeting.values});
  return meeting;
}

void MetWarpInstructions::for_each_bit(Value* bits, const std::function<void(Value*)>& emit) {
  auto* before = b_.GetInsertBlock();
  auto* turn = new_block("bit");
  auto* done = new_block("bits_done");
  b_.CreateCondBr(b_.CreateICmpNE(bits, b_.getInt32(0)), turn, done);
  b_.SetInsertPoint(turn);
  auto* rest = b_.CreatePHI(kernel_.abi.i32, 2);
  rest->addIncoming(bits, before);
  emit(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, rest, b_.getTrue()));
  Value* fewer = b_.CreateAnd(rest, b_.CreateSub(rest, b_.getInt32(1)));
  rest->addIncoming(fewer, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpNE(fewer, b_.getInt32(0)), turn, done);
  b_.SetInsertPoint(done);
}

// The lanes whose value fulfils a condition, as bits.
llvm::Value* MetWarpInstructions::lanes_where(const Meeting& meeting, const std::function<Value*(Value*)>& condition) {
  llvm::AllocaInst* found = entry_alloca(kernel_.abi.i32, "found");
  b_.CreateStore(b_.getInt32(0), found);
  for_each_bit(meeting.present, [&](Value* lane) {
    Value* holds = b_.CreateZExt(condition(element_at(meeting.values, kernel_.abi.i64, lane)), kernel_.abi.i32);
    b_.CreateStore(b_.CreateOr(b_.CreateLoad(kernel_.abi.i32, found), b_.CreateShl(holds, lane)), found);
  });
  return b_.CreateLoad(kernel_.abi.i32, found);
}

void MetWarpInstructions::shfl(const ptx::Instruction& inst) {
  const Meeting meeting =
      meet(inst, inst.operands.size() > 5 ? &inst.operands[5] : nullptr, registers_.lane0(inst.operands[2], Type::b32));
  Value* lane = special_.scalar(ptx::SpecialRegister::laneid);
  Value* b = b_.CreateAnd(registers_.lane0(inst.operands[3], Type::u32), b_.getInt32(31));
  Value* c = registers_.lane0(inst.operands[4], Type::u32);
  Value* segment = b_.CreateAnd(b_.CreateLShr(c, b_.getInt32(8)), b_.getInt32(31));
  Value* lowest = b_.CreateAnd(lane, segment);
  Value* limit = b_.CreateOr(lowest, b_.CreateAnd(b_.CreateAnd(c, b_.getInt32(31)), b_.CreateNot(segment)));
  Value *from = nullptr, *inside = nullptr;
  switch (inst.d.warp) {
    case WarpMode::up: inside = b_.CreateICmpSGE(from = b_.CreateSub(lane, b), limit); break;
    case WarpMode::down: inside = b_.CreateICmpSLE(from = b_.CreateAdd(lane, b), limit); break;
    case WarpMode::bfly: inside = b_.CreateICmpSLE(from = b_.CreateXor(lane, b), limit); break;
    default: inside = b_.CreateICmpSLE(from = b_.CreateOr(lowest, b_.CreateAnd(b, b_.CreateNot(segment))), limit);
  }
  from = b_.CreateSelect(inside, from, lane);
  Value* is_there = b_.CreateICmpNE(b_.CreateAnd(b_.CreateLShr(meeting.present, from), b_.getInt32(1)), b_.getInt32(0));
  from = b_.CreateSelect(is_there, from, lane);
  registers_.write_operand(inst.operands[0], Type::b32,
                           b_.CreateTrunc(element_at(meeting.values, kernel_.abi.i64, from), kernel_.abi.i32));
  if (inst.operands[1].present()) registers_.write_operand(inst.operands[1], Type::pred, inside);
}

void MetWarpInstructions::vote(const ptx::Instruction& inst) {
  const Meeting meeting = meet(inst, inst.operands.size() > 2 ? &inst.operands[2] : nullptr,
                               registers_.lane0(inst.operands[1], Type::pred));
  Value* yes = lanes_where(meeting, [&](Value* value) { return b_.CreateICmpNE(value, b_.getInt64(0)); });
  Value* all = b_.CreateICmpEQ(yes, meeting.present);
  Value* some = b_.CreateICmpNE(yes, b_.getInt32(0));
  switch (inst.d.warp) {
    case WarpMode::all: return registers_.write_operand(inst.operands[0], Type::pred, all);
    case WarpMode::any: return registers_.write_operand(inst.operands[0], Type::pred, some);
    case WarpMode::uni:
      return registers_.write_operand(inst.operands[0], Type::pred, b_.CreateOr(all, b_.CreateNot(some)));
    default: return registers_.write_operand(inst.operands[0], Type::b32, yes);
  }
}

void MetWarpInstructions::match(const ptx::Instruction& inst) {
  const bool all = inst.d.warp == WarpMode::all;
  const ptx::Operand& source = inst.operands[all ? 2 : 1];
  Value* mine = b_.CreateZExt(fit(registers_.lane0(source, inst.d.type), inst.d.type), kernel_.abi.i64);
  const Meeting meeting = meet(inst, &inst.operands.back(), mine);
  Value* same = lanes_where(meeting, [&](Value* value) { return b_.CreateICmpEQ(value, mine); });
  if (!all) return registers_.write_operand(inst.operands[0], Type::b32, same);
  Value* holds = b_.CreateICmpEQ(same, meeting.present);
  registers_.write_operand(inst.operands[0], Type::b32, b_.CreateSelect(holds, same, b_.getInt32(0)));
  if (inst.operands[1].present()) registers_.write_operand(inst.operands[1], Type::pred, holds);
}

void MetWarpInstructions::redux(const ptx::Instruction& inst) {
  const Type type = inst.d.type;
  Value* mine = b_.CreateBitCast(registers_.lane0(inst.operands[1], type), kernel_.abi.i32);
  const Meeting meeting = meet(inst, &inst.operands[2], mine);
  ptx::Instruction step;
  step.where = inst.where;
  step.d.type = type;
  step.d.nan = inst.d.nan;
  step.operands.resize(3);
  switch (inst.d.reduce) {
    case ReduceOp::add: step.opcode = Opcode::add; break;
    case ReduceOp::and_: step.opcode = Opcode::and_; break;
    case ReduceOp::or_: step.opcode = Opcode::or_; break;
    case ReduceOp::xor_: step.opcode = Opcode::xor_; break;
    case ReduceOp::min: step.opcode = Opcode::min; break;
    default: step.opcode = Opcode::max;
  }
  llvm::Type* element = memory_type(type);
  const auto value_of = [&](Value* wide) {
    Value* value = b_.CreateBitCast(b_.CreateTrunc(wide, kernel_.abi.i32), element);
    return inst.has(Modifier::abs) ? b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value) : value;
  };
  Value* first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, meeting.present, b_.getTrue());
  llvm::AllocaInst* result = entry_alloca(element, "redux");
  b_.CreateStore(value_of(element_at(meeting.values, kernel_.abi.i64, first)), result);
  Value* others = b_.CreateAnd(meeting.present, b_.CreateSub(meeting.present, b_.getInt32(1)));
  for_each_bit(others, [&](Value* lane) {
    Value* operands[] = {b_.CreateLoad(element, result), value_of(element_at(meeting.values, kernel_.abi.i64, lane))};
    Value* no_carry = b_.getInt32(0);
    b_.CreateStore(arithmetic_.emit(step, operands, nullptr, no_carry)[0], result);
  });
  registers_.write_operand(inst.operands[0], type, b_.CreateLoad(element, result));
}

void MetWarpInstructions::emit(const ptx::Instruction& inst) {
  Value* self = b_.CreateShl(b_.getInt32(1), special_.scalar(ptx::SpecialRegister::laneid));
  switch (inst.opcode) {
    case Opcode::shfl: return shfl(inst);
    case Opcode::vote: return vote(inst);
    case Opcode::match: return match(inst);
    case Opcode::redux: return redux(inst);
    case Opcode::activemask:
      runtime_.note_line(inst);
      return registers_.write_operand(
          inst.operands[0], Type::b32,
          runtime_.call(offsetof(RuntimeTable, active_mask), kernel_.abi.i32, {inputs_.warp}));
    case Opcode::elect: {
      const Meeting meeting = meet(inst, &inst.operands[2], b_.getInt32(0));
      Value* leader = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, meeting.present, b_.getTrue());
      registers_.write_operand(inst.operands[0], Type::b32, leader);
      return registers_.write_operand(inst.operands[1], Type::pred,
                                      b_.CreateICmpEQ(b_.CreateShl(b_.getInt32(1), leader), self));
    }
    default: meet(inst, &inst.operands[0], b_.getInt32(0));
  }
}

}  // namespace heddle::device::cpu
