// State spaces: conversion of addresses, fences, checked accesses, asynchronous copies.
#include "device/cpu/codegen/emitter.hpp"

#include <llvm/IR/Constants.h>

#include "device/parameter_layout.hpp"
#include "ptx/forms.hpp"

namespace heddle::device::cpu {

using ptx::Modifier;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

void FunctionEmitter::emit_cvta(const ptx::Instruction& inst) {
  const ptx::Operand& source = inst.operands[1];
  const Type type = inst.d.type;
  // cvta of a variable's name converts the variable's address.
  const bool scalar = results_scalar(inst) && (inst.d.space != Space::local || lanes() == 1);
  Value* address = scalar ? registers_.lane0(source, type) : registers_.vector(source, type);
  registers_.write_operand(inst.operands[0], type, spaces_.convert(inst, address));
}

void FunctionEmitter::emit_isspacep(const ptx::Instruction& inst) {
  const bool scalar = results_scalar(inst);
  Value* address =
      scalar ? registers_.lane0(inst.operands[1], Type::u64) : registers_.vector(inst.operands[1], Type::u64);
  const auto spread = [&](Value* value) { return scalar ? value : splat(value); };
  const auto inside = [&](Value* start, Value* bytes) {
    Value* offset = b_.CreateSub(address, spread(b_.CreatePtrToInt(start, kernel_.abi.i64)));
    return b_.CreateICmpULT(offset, spread(bytes));
  };
  const auto in_shared = [&] { return inside(inputs_.shared, spaces_.shared_bytes()); };
  const auto in_local = [&] { return inside(spaces_.local_base(), b_.getInt64(facts_.memory.bytes * lanes())); };
  const auto in_constants = [&] {
    Value* found = spread(b_.getFalse());
    for (std::uint32_t v = 0; v < kernel_.source.variables.size(); ++v)
      if (kernel_.source.variables[v].space == Space::constant)
        found =
            b_.CreateOr(found, inside(runtime_.variable_pointer(v), b_.getInt64(kernel_.source.variables[v].size())));
    return found;
  };
  Value* result = nullptr;
  switch (inst.d.space) {
    case Space::shared: result = in_shared(); break;
    case Space::local: result = in_local(); break;
    case Space::constant: result = in_constants(); break;
    case Space::global: result = b_.CreateNot(b_.CreateOr(b_.CreateOr(in_shared(), in_local()), in_constants())); break;
    default: {
      const auto bytes = parameter_bytes(function_.parameters);
      result = function_.is_entry ? inside(inputs_.parameters, b_.getInt64(bytes)) : spread(b_.getFalse());
    }
  }
  registers_.write_operand(inst.operands[0], Type::pred, result);
}

void FunctionEmitter::emit_fence(const ptx::Instruction& inst) {
  // Threads of one block share a host thread: at that scope only the compiler has to keep the order.
  const bool block_only =
      inst.d.scope == ptx::Scope::cta || inst.has(Modifier::proxy) || inst.d.scope == ptx::Scope::none;
  const bool sequential = inst.opcode == ptx::Opcode::membar || inst.d.order == ptx::Order::sc;
  if (block_only)
    b_.CreateFence(llvm::AtomicOrdering::AcquireRelease, llvm::SyncScope::SingleThread);
  else
    b_.CreateFence(sequential ? llvm::AtomicOrdering::SequentiallyConsistent : llvm::AtomicOrdering::AcquireRelease);
}

// --check: every address of every lane that makes the access is looked up before it is used.
void FunctionEmitter::check_access(const ptx::Instruction& inst, const ptx::Operand& operand, Space space,
                                   unsigned bytes, std::uint32_t access, Value* mask, Value* sizes) {
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

// cp.async executes at once: what waits for it has nothing to do.
void FunctionEmitter::emit_cp_async(const ptx::Instruction& inst) {
  if (inst.has(Modifier::commit_group) || inst.has(Modifier::wait_group) || inst.has(Modifier::wait_all)) return;
  // The copies before it are done: without .noinc, an arrival of which the barrier takes notice beforehand.
  if (inst.has(Modifier::mbarrier)) {
    if (inst.has(Modifier::noinc)) return update_mbarrier(inst);
    if (kernel_.check)
      check_access(inst, inst.operands[0], inst.d.space, 8, CheckedAccess::both, registers_.instruction_mask(inst));
    return;
  }
  const bool copies = (inst.has(Modifier::ca) || inst.has(Modifier::cg)) && inst.operands.size() >= 3;
  if (!copies || inst.operands[2].kind != OperandKind::integer)
    refuse(
        inst,
        "of the asynchronous copies the CPU device supports cp.async.ca, cp.async.cg, mbarrier.arrive, commit_group, "
        "wait_group and wait_all");
  const auto bytes = static_cast<unsigned>(inst.operands[2].value);
  Value* mask = registers_.instruction_mask(inst);
  if (kernel_.check) check_access(inst, inst.operands[0], Space::shared, bytes, CheckedAccess::writes, mask);
  const Address to = address_of(inst.operands[0], Space::shared), from = address_of(inst.operands[1], Space::global);
  // Bytes beyond src-size, or all of them under ignore-src, become zero.
  const ptx::Operand* fewer = nullptr;
  for (std::size_t i = 3; i < inst.operands.size(); ++i) {
    const bool is_policy = inst.has(Modifier::l2_cache_hint) && i + 1 == inst.operands.size();
    if (inst.operands[i].present() && !is_policy) fewer = &inst.operands[i];
  }
  const bool ignores = fewer && fewer->is_reg() && function_.registers[fewer->index].type == Type::pred;
  Value* to_pointers = lanes() == 1 ? lane_pointers(to) : spill(lane_pointers(to));
  Value* from_pointers = lanes() == 1 ? lane_pointers(from) : spill(lane_pointers(from));
  Value* sizes = nullptr;
  if (fewer) {
    Value* size = ignores ? b_.CreateSelect(registers_.vector(*fewer, Type::pred), splat(b_.getInt32(0)),
                                            splat(b_.getInt32(bytes)))
                          : registers_.vector(*fewer, Type::u32);
    sizes = lanes() == 1 ? size : spill(size);
  }
  if (kernel_.check)
    check_access(inst, inst.operands[1], Space::global, bytes, CheckedAccess::reads, mask,
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

void FunctionEmitter::copy_byte_if(Value* target, Value* source, unsigned offset, Value* condition) {
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
