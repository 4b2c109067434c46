#include "device/cpu/codegen/emitter_atomics.hpp"

#include <optional>

#include <llvm/IR/Constants.h>

#include "ptx/forms.hpp"

namespace heddle::device::cpu {

using llvm::AtomicOrdering;
using llvm::AtomicRMWInst;
using ptx::Opcode;
using ptx::Order;
using ptx::ReduceOp;
using ptx::Space;
using ptx::Type;

namespace {

AtomicOrdering ordering_of(Order order) {
  switch (order) {
    case Order::acquire: return AtomicOrdering::Acquire;
    case Order::release: return AtomicOrdering::Release;
    case Order::acq_rel: return AtomicOrdering::AcquireRelease;
    default: return AtomicOrdering::Monotonic;
  }
}

std::optional<AtomicRMWInst::BinOp> host_operation(ReduceOp op, Type type) {
  if (ptx::is_float(type)) return op == ReduceOp::exch ? std::optional(AtomicRMWInst::Xchg) : std::nullopt;
  const bool is_signed = ptx::is_signed(type);
  switch (op) {
    case ReduceOp::and_: return AtomicRMWInst::And;
    case ReduceOp::or_: return AtomicRMWInst::Or;
    case ReduceOp::xor_: return AtomicRMWInst::Xor;
    case ReduceOp::exch: return AtomicRMWInst::Xchg;
    case ReduceOp::add: return AtomicRMWInst::Add;
    case ReduceOp::min: return is_signed ? AtomicRMWInst::Min : AtomicRMWInst::UMin;
    case ReduceOp::max: return is_signed ? AtomicRMWInst::Max : AtomicRMWInst::UMax;
    default: return std::nullopt;
  }
}

}  // namespace

// The new value that an operation stores; for what the host has no instruction for.
llvm::Value* AtomicInstructions::combine(const ptx::Instruction& inst, Value* pointer, Value* old, Value* operand) {
  const Type type = inst.d.type;
  Value* zero = llvm::Constant::getNullValue(old->getType());
  switch (inst.d.reduce) {
    case ReduceOp::inc:
      return b_.CreateSelect(b_.CreateICmpUGE(old, operand), zero,
                             b_.CreateAdd(old, llvm::ConstantInt::get(old->getType(), 1)));
    case ReduceOp::dec: {
      Value* wrap = b_.CreateOr(b_.CreateICmpEQ(old, zero), b_.CreateICmpUGT(old, operand));
      return b_.CreateSelect(wrap, operand, b_.CreateSub(old, llvm::ConstantInt::get(old->getType(), 1)));
    }
    case ReduceOp::exch: return operand;
    case ReduceOp::and_: return b_.CreateAnd(old, operand);
    case ReduceOp::or_: return b_.CreateOr(old, operand);
    case ReduceOp::xor_: return b_.CreateXor(old, operand);
    case ReduceOp::add:
    case ReduceOp::min:
    case ReduceOp::max: break;
    default: refuse(inst, "this atomic operation is not supported by the CPU device");
  }
  // Arithmetic as the instruction of that name would do it. Adding f32 in global memory flushes subnormals (PTX ISA,
  // atom).
  ptx::Instruction arithmetic;
  arithmetic.where = inst.where;
  arithmetic.opcode = inst.d.reduce == ReduceOp::add   ? Opcode::add
                      : inst.d.reduce == ReduceOp::min ? Opcode::min
                                                       : Opcode::max;
  arithmetic.d.type = type;
  const bool is_sum = ptx::is_float(type) && inst.d.reduce == ReduceOp::add;
  if (is_sum) arithmetic.d.rounding = ptx::Rounding::rn;
  arithmetic.operands.resize(3);
  const auto emit = [&](bool flush) {
    arithmetic.d.ftz = flush;
    Value* no_carry = b_.getInt32(0);
    Value* operands[] = {old, operand};
    return arithmetic_.emit(arithmetic, operands, nullptr, no_carry)[0];
  };
  Value* result = emit(is_sum && type == Type::f32 && inst.d.space == Space::global);
  if (is_sum && type == Type::f32 && inst.d.space == Space::generic)
    result = b_.CreateSelect(spaces_.points_into_shared(pointer), result, emit(true));
  if (type == Type::f32) result = canonical_nan(result);
  return b_.CreateBitCast(result, old->getType());
}

// One lane's operation at `pointer`; returns the old value as an integer.
llvm::Value* AtomicInstructions::atomic_lane(const ptx::Instruction& inst, Value* pointer, Value* operand,
                                             Value* replacement) {
  const unsigned bits = ptx::bit_width(inst.d.type);
  auto* integer = llvm::IntegerType::get(kernel_.llvm, bits);
  const auto as_integer = [&](Value* value) { return value ? b_.CreateBitCast(value, integer) : nullptr; };
  operand = as_integer(operand);
  replacement = as_integer(replacement);
  const llvm::Align align(bits / 8);
  const bool is_shared = spaces_.effective_space(inst.d.space, memory_operand(inst)) == Space::shared;
  const AtomicOrdering order = ordering_of(inst.d.order);
  if (inst.d.reduce == ReduceOp::cas) {
    if (is_shared)
      return update(inst, pointer,
                    [&](Value* old) { return b_.CreateSelect(b_.CreateICmpEQ(old, operand), replacement, old); });
    const AtomicOrdering failure = order == AtomicOrdering::AcquireRelease ? AtomicOrdering::Acquire
                                   : order == AtomicOrdering::Release      ? AtomicOrdering::Monotonic
                                                                           : order;
    return b_.CreateExtractValue(b_.CreateAtomicCmpXchg(pointer, operand, replacement, align, order, failure), 0);
  }
  if (const auto op = host_operation(inst.d.reduce, inst.d.type); op && bits <= 64 && !is_shared)
    return b_.CreateAtomicRMW(*op, pointer, operand, align, order);
  return update(inst, pointer, [&](Value* old) { return combine(inst, pointer, old, operand); });
}

// Replaces what is at `pointer` by what `next` makes of it; returns what was there, as an integer.
llvm::Value* AtomicInstructions::update(const ptx::Instruction& inst, Value* pointer,
                                        const std::function<Value*(Value*)>& next) {
  const unsigned bits = ptx::bit_width(inst.d.type);
  auto* integer = llvm::IntegerType::get(kernel_.llvm, bits);
  const llvm::Align align(bits / 8);
  // All threads of a block run on one thread of the host: shared memory needs no locked instructions.
  if (spaces_.effective_space(inst.d.space, memory_operand(inst)) == Space::shared) {
    auto* old = b_.CreateAlignedLoad(integer, pointer, align);
    tag_space(old, Space::shared);
    tag_space(b_.CreateAlignedStore(b_.CreateBitCast(next(old), integer), pointer, align), Space::shared);
    return old;
  }
  // Compare and swap until nobody came in between.
  const AtomicOrdering order = ordering_of(inst.d.order);
  auto* before = b_.GetInsertBlock();
  auto* attempt = new_block("attempt");
  auto* stored = new_block("stored");
  auto* first = b_.CreateAlignedLoad(integer, pointer, align);
  if (bits <= 64) first->setAtomic(AtomicOrdering::Monotonic);
  b_.CreateBr(attempt);
  b_.SetInsertPoint(attempt);
  auto* old = b_.CreatePHI(integer, 2);
  old->addIncoming(first, before);
  Value* made = b_.CreateBitCast(next(old), integer);
  const AtomicOrdering success =
      order == AtomicOrdering::Monotonic ? AtomicOrdering::Monotonic : AtomicOrdering::AcquireRelease;
  auto* exchange = b_.CreateAtomicCmpXchg(pointer, old, made, align, success, AtomicOrdering::Monotonic);
  old->addIncoming(b_.CreateExtractValue(exchange, 0), b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateExtractValue(exchange, 1), stored, attempt);
  b_.SetInsertPoint(stored);
  return old;
}

const ptx::Operand& AtomicInstructions::memory_operand(const ptx::Instruction& inst) {
  return inst.operands[inst.opcode == Opcode::red ? 0 : 1];
}

// Floats of all lanes into one place: one lane after the other, which gives the bits that an operation of each lane
// would give, but in a register. Memory is read and written once.
void AtomicInstructions::emit_uniform_fold(const ptx::Instruction& inst, Value* pointer, const ptx::Operand& operand,
                                           Value* mask) {
  llvm::Type* type = memory_type(inst.d.type);
  auto* integer = llvm::IntegerType::get(kernel_.llvm, ptx::bit_width(inst.d.type));
  Value* values = spill(registers_.vector(operand, inst.d.type));
  llvm::AllocaInst* folded = entry_alloca(integer, "folded");
  update(inst, pointer, [&](Value* old) {
    b_.CreateStore(old, folded);
    branches_.for_each_lane(mask, [&](Value* lane) {
      Value* value = b_.CreateBitCast(element_at(values, type, lane), integer);
      Value* made = combine(inst, pointer, b_.CreateLoad(integer, folded), value);
      b_.CreateStore(b_.CreateBitCast(made, integer), folded);
    });
    return b_.CreateLoad(integer, folded);
  });
}

// Reductions of all lanes into one place: the lanes first, then memory once.
bool AtomicInstructions::emit_uniform_reduction(const ptx::Instruction& inst, const Address& address,
                                                const ptx::Operand& operand, Value* mask) {
  if (address.form != Address::Form::uniform || lanes() == 1 || inst.d.vector != 1) return false;
  if (ptx::element_count(inst.d.type) != 1 || ptx::bit_width(inst.d.type) > 64) return false;
  const auto where_any = [&](const std::function<void()>& emit) {
    if (guarded_by_lanes(inst))
      branches_.when_any(mask, emit);
    else
      emit();
  };
  if (ptx::is_float(inst.d.type)) {
    if (inst.d.reduce == ReduceOp::exch || inst.d.reduce == ReduceOp::cas) return false;
    where_any([&] { emit_uniform_fold(inst, address.base, operand, mask); });
    return true;
  }
  Value* values = registers_.vector(operand, inst.d.type);
  llvm::Type* type = values->getType()->getScalarType();
  const bool is_signed = ptx::is_signed(inst.d.type);
  const unsigned bits = type->getScalarSizeInBits();
  const auto reduce = [&](llvm::APInt neutral, llvm::Intrinsic::ID id) {
    if (mask) values = b_.CreateSelect(mask, values, splat(llvm::ConstantInt::get(kernel_.llvm, neutral)));
    return b_.CreateUnaryIntrinsic(id, values);
  };
  Value* total = nullptr;
  using llvm::APInt;
  switch (inst.d.reduce) {
    case ReduceOp::add: total = reduce(APInt(bits, 0), llvm::Intrinsic::vector_reduce_add); break;
    case ReduceOp::and_: total = reduce(APInt::getAllOnes(bits), llvm::Intrinsic::vector_reduce_and); break;
    case ReduceOp::or_: total = reduce(APInt(bits, 0), llvm::Intrinsic::vector_reduce_or); break;
    case ReduceOp::xor_: total = reduce(APInt(bits, 0), llvm::Intrinsic::vector_reduce_xor); break;
    case ReduceOp::min:
      total = is_signed ? reduce(APInt::getSignedMaxValue(bits), llvm::Intrinsic::vector_reduce_smin)
                        : reduce(APInt::getAllOnes(bits), llvm::Intrinsic::vector_reduce_umin);
      break;
    case ReduceOp::max:
      total = is_signed ? reduce(APInt::getSignedMinValue(bits), llvm::Intrinsic::vector_reduce_smax)
                        : reduce(APInt(bits, 0), llvm::Intrinsic::vector_reduce_umax);
      break;
    default: return false;
  }
  where_any([&] { atomic_lane(inst, address.base, total, nullptr); });
  return true;
}

void AtomicInstructions::emit(const ptx::Instruction& inst) {
  const bool has_result =
      inst.opcode == Opcode::atom && inst.operands[0].is_reg() && registers_.is_read(inst.operands[0].index);
  const bool vector_result = inst.opcode == Opcode::atom && inst.operands[0].kind == ptx::OperandKind::vector;
  const unsigned first = inst.opcode == Opcode::red ? 1 : 2;
  const ptx::Operand& place = memory_operand(inst);
  const Space space = spaces_.effective_space(inst.d.space, place);
  const unsigned bytes = ptx::byte_size(inst.d.type);
  Value* mask = registers_.instruction_mask(inst);
  if (kernel_.check) checks_.check_access(inst, place, space, bytes * inst.d.vector, CheckedAccess::both, mask);
  const Address address = addresses_.of(place, space);
  if (!has_result && !vector_result && emit_uniform_reduction(inst, address, inst.operands[first], mask)) return;

  Value* pointers = lanes() == 1 ? addresses_.lane_pointers(address) : spill(addresses_.lane_pointers(address));
  for (unsigned e = 0; e < inst.d.vector; ++e) emit_element(inst, e, pointers, has_result || vector_result, mask);
}

// Element number `element` of each lane's access. `pointers` are spilled, but with one lane.
void AtomicInstructions::emit_element(const ptx::Instruction& inst, unsigned element, Value* pointers, bool has_result,
                                      Value* mask) {
  llvm::Type* type = memory_type(inst.d.type);
  auto* integer = llvm::IntegerType::get(kernel_.llvm, ptx::bit_width(inst.d.type));
  const auto pick = [&](std::size_t i) -> const ptx::Operand& {
    const ptx::Operand& operand = inst.operands[i];
    return operand.kind == ptx::OperandKind::vector ? operand.elements[element] : operand;
  };
  const auto source = [&](const ptx::Operand& operand) -> Value* {
    if (registers_.is_scalar(operand)) return registers_.lane0(operand, inst.d.type);
    return spill(registers_.vector(operand, inst.d.type));
  };
  const auto at_lane = [&](const ptx::Operand& operand, Value* value, Value* lane) {
    return registers_.is_scalar(operand) ? value : element_at(value, type, lane);
  };
  const unsigned first = inst.opcode == Opcode::red ? 1 : 2;
  const bool is_cas = inst.d.reduce == ReduceOp::cas;
  Value* operands = source(pick(first));
  Value* replacements = is_cas ? source(pick(first + 1)) : nullptr;
  llvm::AllocaInst* results = has_result ? entry_alloca(vector_of(integer), "old") : nullptr;
  if (results && mask) b_.CreateStore(llvm::Constant::getNullValue(vector_of(integer)), results);
  branches_.for_each_lane(mask, [&](Value* lane) {
    Value* pointer = lanes() == 1 ? pointers : element_at(pointers, kernel_.abi.pointer, lane);
    if (element) pointer = b_.CreateConstGEP1_64(kernel_.abi.i8, pointer, element * ptx::byte_size(inst.d.type));
    Value* replacement = is_cas ? at_lane(pick(first + 1), replacements, lane) : nullptr;
    Value* old = atomic_lane(inst, pointer, at_lane(pick(first), operands, lane), replacement);
    if (results) b_.CreateStore(old, lanes() == 1 ? results : element_pointer(results, integer, lane));
  });
  if (results) registers_.write_operand(pick(0), inst.d.type, b_.CreateLoad(vector_of(integer), results));
}

}  // namespace heddle::device::cpu
