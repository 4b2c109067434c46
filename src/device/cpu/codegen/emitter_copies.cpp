#include "device/cpu/codegen/emitter_copies.hpp"

namespace heddle::device::cpu {

using ptx::Modifier;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

void CopyInstructions::emit(const ptx::Instruction& inst) {
  if (inst.has(Modifier::commit_group) || inst.has(Modifier::wait_group) || inst.has(Modifier::wait_all)) return;
  // The copies before it are done: without .noinc, an arrival of which the barrier takes notice beforehand.
  if (inst.has(Modifier::mbarrier)) {
    if (inst.has(Modifier::noinc)) return mbarriers_.update(inst);
    if (kernel_.check)
      checks_.check_access(inst, inst.operands[0], inst.d.space, 8, CheckedAccess::both,
                           registers_.instruction_mask(inst));
    return;
  }
  const bool copies = (inst.has(Modifier::ca) || inst.has(Modifier::cg)) && inst.operands.size() >= 3;
  if (!copies || inst.operands[2].kind != OperandKind::integer)
    refuse(
        inst,
        "of the asynchronous copies the CPU device supports cp.async.ca, cp.async.cg, mbarrier.arrive, commit_group, "
        "wait_group and wait_all");
  copy(inst, static_cast<unsigned>(inst.operands[2].value));
}

void CopyInstructions::copy(const ptx::Instruction& inst, unsigned bytes) {
  Value* mask = registers_.instruction_mask(inst);
  if (kernel_.check) checks_.check_access(inst, inst.operands[0], Space::shared, bytes, CheckedAccess::writes, mask);
  const Address to = addresses_.of(inst.operands[0], Space::shared),
                from = addresses_.of(inst.operands[1], Space::global);
  // Bytes beyond src-size, or all of them under ignore-src, become zero.
  const ptx::Operand* fewer = nullptr;
  for (std::size_t i = 3; i < inst.operands.size(); ++i) {
    const bool is_policy = inst.has(Modifier::l2_cache_hint) && i + 1 == inst.operands.size();
    if (inst.operands[i].present() && !is_policy) fewer = &inst.operands[i];
  }
  const bool ignores = fewer && fewer->is_reg() && function_.registers[fewer->index].type == Type::pred;
  Value* to_pointers = lanes() == 1 ? addresses_.lane_pointers(to) : spill(addresses_.lane_pointers(to));
  Value* from_pointers = lanes() == 1 ? addresses_.lane_pointers(from) : spill(addresses_.lane_pointers(from));
  Value* sizes = nullptr;
  if (fewer) {
    Value* size = ignores ? b_.CreateSelect(registers_.vector(*fewer, Type::pred), splat(b_.getInt32(0)),
                                            splat(b_.getInt32(bytes)))
                          : registers_.vector(*fewer, Type::u32);
    sizes = lanes() == 1 ? size : spill(size);
  }
  if (kernel_.check)
    checks_.check_access(inst, inst.operands[1], Space::global, bytes, CheckedAccess::reads, mask,
                         sizes && lanes() == 1 ? spill(sizes) : sizes);
  branches_.for_each_lane(mask, [&](Value* lane) {
    Value* target = lanes() == 1 ? to_pointers : element_at(to_pointers, kernel_.abi.pointer, lane);
    Value* source = lanes() == 1 ? from_pointers : element_at(from_pointers, kernel_.abi.pointer, lane);
    if (!sizes) {
      b_.CreateMemCpy(target, llvm::MaybeAlign(bytes), source, llvm::MaybeAlign(bytes), bytes);
      return;
    }
    Value* size = lanes() == 1 ? sizes : element_at(sizes, kernel_.abi.i32, lane);
    for (unsigned i = 0; i < bytes; ++i) copy_byte_if(target, source, i, b_.CreateICmpUGT(size, b_.getInt32(i)));
  });
}

void CopyInstructions::copy_byte_if(Value* target, Value* source, unsigned offset, Value* condition) {
  auto* before = b_.GetInsertBlock();
  auto* then = new_block("byte");
  auto* after = new_block("after");
  b_.CreateCondBr(condition, then, after);
  b_.SetInsertPoint(then);
  Value* byte = b_.CreateLoad(kernel_.abi.i8, b_.CreateConstGEP1_64(kernel_.abi.i8, source, offset));
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
  auto* merged = b_.CreatePHI(kernel_.abi.i8, 2);
  merged->addIncoming(byte, then);
  merged->addIncoming(b_.getInt8(0), before);
  b_.CreateStore(merged, b_.CreateConstGEP1_64(kernel_.abi.i8, target, offset));
}

}  // namespace heddle::device::cpu
