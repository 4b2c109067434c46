#include "device/cpu/codegen/emitter_barriers.hpp"

#include "device/cpu/codegen/phases.hpp"
#include "ptx/barrier.hpp"

namespace heddle::device::cpu {

using ptx::Modifier;
using ptx::ReduceOp;
using ptx::Type;

BarrierKind BarrierInstructions::kind_of(const ptx::Instruction& inst) {
  if (!inst.has(Modifier::red)) return inst.has(Modifier::arrive) ? BarrierKind::arrive : BarrierKind::sync;
  if (inst.d.reduce == ReduceOp::popc) return BarrierKind::reduce_popc;
  return inst.d.reduce == ReduceOp::and_ ? BarrierKind::reduce_and : BarrierKind::reduce_or;
}

llvm::Value* BarrierInstructions::scalar(const ptx::Operand& operand) {
  if (!operand.present()) return b_.getInt32(0);
  return registers_.is_scalar(operand) ? registers_.lane0(operand, Type::u32)
                                       : first_active(registers_.vector(operand, Type::u32));
}

// How many of the lanes that run have the predicate set.
llvm::Value* BarrierInstructions::lanes_that_hold(const ptx::Operand& predicate) {
  Value* holds = registers_.vector(predicate, Type::pred);
  if (lanes() == 1) return b_.CreateZExt(holds, kernel_.abi.i32);
  return b_.CreateZExtOrTrunc(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, mask_bits(both(context_.mask, holds))),
                              kernel_.abi.i32);
}

llvm::Value* BarrierInstructions::running_lanes() {
  if (lanes() == 1) return b_.getInt32(1);
  return b_.CreateZExtOrTrunc(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, mask_bits(mask_or_full(context_.mask))),
                              kernel_.abi.i32);
}

// Warps arrive as a whole, as the instruction set says of bar.sync: lanes that have left the kernel count.
void BarrierInstructions::emit(const ptx::Instruction& inst) {
  if (inst.has(Modifier::cluster)) return;  // a cluster is one block, whose own barrier is not meant
  const BarrierKind kind = kind_of(inst);
  const bool reduces = inst.has(Modifier::red);
  const unsigned first = reduces ? 1 : 0;
  Value* id = scalar(inst.operands[first]);
  Value* threads = inst.operands.size() > first + 1 ? scalar(inst.operands[first + 1]) : b_.getInt32(0);
  Value* held = reduces ? lanes_that_hold(inst.operands.back()) : b_.getInt32(0);
  const bool counted = inst.operands[first + 1].present();
  const bool computed = inst.operands[first].kind != ptx::OperandKind::integer;
  if (kernel_.block.count() <= lanes() && !counted && !computed && kind != BarrierKind::arrive)
    return emit_lone(inst, kind, held);
  if (kernel_.checks.sync && lanes() > 1 && !counted) checks_.note_order(inst, OrderKind::lone_barrier);
  if (kernel_.checks.sync && kernel_.block.count() > 1 && (counted || computed) && ptx::is_aligned(inst))
    checks_.note_barrier(inst, inst.operands[first], inst.operands[first + 1]);
  if (inputs_.suspend != nullptr) {
    runtime_.note_line(inst);
    return emit_phase_end(b_, inputs_.suspend);
  }
  Value* existing = runtime_.field(inputs_.warp, offsetof(WarpContext, lanes), kernel_.abi.i32);
  Value* explicit_count = b_.CreateICmpNE(threads, b_.getInt32(0));
  Value* arriving = b_.CreateSelect(explicit_count, b_.getInt32(lanes()), existing);
  // Lanes that have left the kernel arrive with the warp and must not count as saying no.
  if (kind == BarrierKind::reduce_and && lanes() > 1)
    held = b_.CreateSub(arriving, b_.CreateSub(running_lanes(), held));
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

// A barrier in a block of one warp, all of which is here.
void BarrierInstructions::emit_lone(const ptx::Instruction& inst, BarrierKind kind, Value* held) {
  if (kernel_.checks.race || kernel_.checks.sync) checks_.note_order(inst, OrderKind::lone_barrier);
  b_.CreateFence(llvm::AtomicOrdering::AcquireRelease, llvm::SyncScope::SingleThread);
  if (kind == BarrierKind::sync) return;
  if (kind == BarrierKind::reduce_popc) return registers_.write_operand(inst.operands[0], Type::u32, held);
  Value* running = running_lanes();
  Value* wanted =
      kind == BarrierKind::reduce_and ? b_.CreateICmpEQ(held, running) : b_.CreateICmpNE(held, b_.getInt32(0));
  registers_.write_operand(inst.operands[0], Type::pred, wanted);
}

}  // namespace heddle::device::cpu
