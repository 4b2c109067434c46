// Operations among the lanes of a warp, and barriers.
//
// In the 32-lane shape the lanes that run an operation together are those of the mask; in the one-lane shape each
// thread is a fiber and meets the others through RuntimeTable::warp_meet.
#include "device/cpu/codegen/emitter.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "ptx/forms.hpp"

namespace heddle::device::cpu {

using ptx::Modifier;
using ptx::Opcode;
using ptx::ReduceOp;
using ptx::Type;
using ptx::WarpMode;

// Lanes that take part: those that run now and that the member mask, the same for all, names.
llvm::Value* FunctionEmitter::members(const ptx::Instruction& inst, const ptx::Operand* operand) {
  Value* mask = registers_.instruction_mask(inst);
  if (!operand || !operand->present()) return mask;
  if (operand->kind == ptx::OperandKind::integer && static_cast<std::uint32_t>(operand->value) == 0xffffffffu)
    return mask;
  if (lanes() != 32) return mask;
  return both(mask, b_.CreateBitCast(registers_.lane0(*operand, Type::b32), vector_of(kernel_.abi.i1)));
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

// --check: a lane must not take part in what its member mask does not name it for.
void FunctionEmitter::check_members(const ptx::Instruction& inst) {
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

// Lanes may have different member masks.
bool FunctionEmitter::has_groups(const ptx::Operand& members) const {
  return members.present() && !registers_.is_scalar(members);
}

// result[l] = vector[index[l]], indices 0..31.
llvm::Value* FunctionEmitter::permute(Value* values, Value* index) {
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
  return gather(pointers, element, element->getScalarSizeInBits() / 8, nullptr);
}

// PTX ISA 9.7.9.6: segment and clamp come from c = (segmask << 8) | clamp.
void FunctionEmitter::emit_shfl(const ptx::Instruction& inst) {
  if (lanes() == 1) return emit_met_warp_operation(inst);
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

void FunctionEmitter::emit_vote(const ptx::Instruction& inst) {
  if (lanes() == 1) return emit_met_warp_operation(inst);
  if (inst.operands.size() > 2 && has_groups(inst.operands[2])) return emit_group_vote(inst);
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

void FunctionEmitter::emit_activemask(const ptx::Instruction& inst) {
  if (lanes() == 1) return emit_met_warp_operation(inst);
  registers_.write_operand(inst.operands[0], Type::b32, mask_bits(mask_or_full(registers_.instruction_mask(inst))));
}

void FunctionEmitter::emit_elect(const ptx::Instruction& inst) {
  if (lanes() == 1) return emit_met_warp_operation(inst);
  if (has_groups(inst.operands[2])) return emit_group_elect(inst);
  Value* bits = mask_bits(mask_or_full(members(inst, &inst.operands[2])));
  Value* leader = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b_.getFalse());
  registers_.write_operand(inst.operands[0], Type::b32, leader);
  registers_.write_operand(inst.operands[1], Type::pred, b_.CreateICmpEQ(lane_numbers(kernel_.abi.i32), splat(leader)));
}

void FunctionEmitter::emit_match(const ptx::Instruction& inst) {
  if (lanes() == 1) return emit_met_warp_operation(inst);
  const bool all = inst.d.warp == WarpMode::all;
  const bool groups = has_groups(inst.operands.back());
  if (all && groups) return emit_group_match_all(inst);
  Value* mask = groups ? registers_.instruction_mask(inst) : members(inst, &inst.operands.back());
  Value* values = registers_.vector(inst.operands[all ? 2 : 1], inst.d.type);
  llvm::Type* element = values->getType()->getScalarType();
  Value* spilled = spill(values);
  Value* bits = mask_bits(mask_or_full(mask));
  if (all) {
    Value* first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b_.getFalse());
    first = b_.CreateAnd(first, b_.getInt32(31));
    Value* equal = b_.CreateICmpEQ(values, splat(element_at(spilled, element, first)));
    Value* same = b_.CreateICmpEQ(mask_bits(both(mask, equal)), bits);
    registers_.write_operand(inst.operands[0], Type::b32, b_.CreateSelect(same, bits, b_.getInt32(0)));
    if (inst.operands[1].present()) registers_.write_operand(inst.operands[1], Type::pred, same);
    return;
  }
  llvm::AllocaInst* results = entry_alloca(vector_of(kernel_.abi.i32), "matches");
  b_.CreateStore(llvm::Constant::getNullValue(vector_of(kernel_.abi.i32)), results);
  branches_.for_each_lane(mask, [&](Value* lane) {
    Value* equal = b_.CreateICmpEQ(values, splat(element_at(spilled, element, lane)));
    b_.CreateStore(mask_bits(both(mask, equal)), element_pointer(results, kernel_.abi.i32, lane));
  });
  Value* matches = b_.CreateLoad(vector_of(kernel_.abi.i32), results);
  if (groups) matches = b_.CreateAnd(matches, group_bits(inst, inst.operands.back()));
  registers_.write_operand(inst.operands[0], Type::b32, matches);
}

void FunctionEmitter::emit_redux(const ptx::Instruction& inst) {
  if (lanes() == 1) return emit_met_warp_operation(inst);
  if (has_groups(inst.operands[2])) return emit_group_redux(inst);
  Value* values = registers_.vector(inst.operands[1], inst.d.type);
  registers_.write_operand(inst.operands[0], inst.d.type, reduce_lanes(inst, values, members(inst, &inst.operands[2])));
}

// What redux makes of the values of some lanes; a scalar.
llvm::Value* FunctionEmitter::reduce_lanes(const ptx::Instruction& inst, Value* values, Value* mask) {
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
llvm::Value* FunctionEmitter::reduce_floats(const ptx::Instruction& inst, Value* values, Value* mask) {
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

void FunctionEmitter::emit_warp_barrier(const ptx::Instruction& inst) {
  if (lanes() == 1) return emit_met_warp_operation(inst);
  // The lanes of a warp run in step; only the compiler must not move accesses.
  b_.CreateFence(llvm::AtomicOrdering::AcquireRelease, llvm::SyncScope::SingleThread);
}

// A barrier in a block of one warp: everybody is here.
void FunctionEmitter::emit_lone_barrier(const ptx::Instruction& inst, BarrierKind kind, Value* held) {
  b_.CreateFence(llvm::AtomicOrdering::AcquireRelease, llvm::SyncScope::SingleThread);
  if (kind == BarrierKind::sync) return;
  if (kind == BarrierKind::reduce_popc) return registers_.write_operand(inst.operands[0], Type::u32, held);
  Value* running = lanes() == 1 ? b_.getInt32(1)
                                : b_.CreateZExtOrTrunc(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop,
                                                                               mask_bits(mask_or_full(context_.mask))),
                                                       kernel_.abi.i32);
  Value* wanted =
      kind == BarrierKind::reduce_and ? b_.CreateICmpEQ(held, running) : b_.CreateICmpNE(held, b_.getInt32(0));
  registers_.write_operand(inst.operands[0], Type::pred, wanted);
}

// bar and barrier. Warps arrive as a whole, as the instruction set says of bar.sync: lanes that have left the kernel
// count.
void FunctionEmitter::emit_barrier(const ptx::Instruction& inst) {
  if (inst.has(Modifier::warp)) return emit_warp_barrier(inst);
  if (inst.has(Modifier::cluster)) return;  // a cluster is one block, whose own barrier is not meant
  const bool reduces = inst.has(Modifier::red);
  const unsigned first = reduces ? 1 : 0;
  BarrierKind kind = inst.has(Modifier::arrive) ? BarrierKind::arrive : BarrierKind::sync;
  if (reduces)
    kind = inst.d.reduce == ReduceOp::popc   ? BarrierKind::reduce_popc
           : inst.d.reduce == ReduceOp::and_ ? BarrierKind::reduce_and
                                             : BarrierKind::reduce_or;
  const auto scalar = [&](const ptx::Operand& operand) -> Value* {
    if (!operand.present()) return b_.getInt32(0);
    return registers_.is_scalar(operand) ? registers_.lane0(operand, Type::u32)
                                         : first_active(registers_.vector(operand, Type::u32));
  };
  Value* id = scalar(inst.operands[first]);
  Value* threads = inst.operands.size() > first + 1 ? scalar(inst.operands[first + 1]) : b_.getInt32(0);
  Value* held = b_.getInt32(0);
  if (reduces) {
    Value* holds = registers_.vector(inst.operands.back(), Type::pred);
    if (lanes() == 1)
      held = b_.CreateZExt(holds, kernel_.abi.i32);
    else
      held = b_.CreateZExtOrTrunc(
          b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, mask_bits(both(context_.mask, holds))), kernel_.abi.i32);
  }
  const bool counted = inst.operands[first + 1].present();
  if (kernel_.block.count() <= lanes() && !counted && kind != BarrierKind::arrive)
    return emit_lone_barrier(inst, kind, held);
  Value* existing = runtime_.field(inputs_.warp, offsetof(WarpContext, lanes), kernel_.abi.i32);
  Value* explicit_count = b_.CreateICmpNE(threads, b_.getInt32(0));
  Value* arriving = b_.CreateSelect(explicit_count, b_.getInt32(lanes()), existing);
  if (kind == BarrierKind::reduce_and && lanes() > 1) {
    // Lanes that have left the kernel arrive with the warp and must not count as saying no.
    Value* running = b_.CreateZExtOrTrunc(
        b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, mask_bits(mask_or_full(context_.mask))), kernel_.abi.i32);
    held = b_.CreateSub(arriving, b_.CreateSub(running, held));
  }
  runtime_.note_line(inst);
  Value* result =
      runtime_.call(offsetof(RuntimeTable, barrier), kernel_.abi.i32,
                    {inputs_.warp, id, threads, arriving, b_.getInt32(static_cast<std::uint32_t>(kind)), held});
  if (!reduces) return;
  if (kind == BarrierKind::reduce_popc)
    registers_.write_operand(inst.operands[0], Type::u32, result);
  else
    registers_.write_operand(inst.operands[0], Type::pred, b_.CreateICmpNE(result, b_.getInt32(0)));
}

}  // namespace heddle::device::cpu
