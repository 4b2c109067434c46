#include "device/cpu/codegen/emitter_memory.hpp"

#include <llvm/IR/Constants.h>

#include <algorithm>

namespace heddle::device::cpu {

using ptx::OperandKind;
using ptx::Space;

MemoryInstructions::MemoryInstructions(FunctionContext& context, Values& values, Accesses& accesses)
    : EmitterPart(context),
      spaces_(values.spaces),
      registers_(values.registers),
      branches_(values.branches),
      addresses_(accesses.addresses),
      elements_(accesses.elements),
      slow_(accesses.slow),
      whole_(accesses.whole),
      variables_(accesses.variables),
      rows_(accesses.rows),
      checks_(accesses.checks) {}

void MemoryInstructions::load(const ptx::Instruction& inst) {
  if (variables_.access(inst, false)) return;
  const ptx::Operand& source = inst.operands[1];
  const Space space = spaces_.effective_space(inst.d.space, source);
  Value* mask = registers_.instruction_mask(inst);
  if (kernel_.check)
    checks_.check_access(inst, source, space, ptx::byte_size(inst.d.type) * inst.d.vector, CheckedAccess::reads, mask);
  if (const auto* merged = rows_.places(context_.index); merged != nullptr && !kernel_.check)
    return write_elements(inst, rows_.elements(inst, *merged));
  order_before(inst);
  const Address address = addresses_.of(source, space);
  if (facts_.far_loads[context_.index]) fetch_ahead(inst, address);
  // A scalar access needs at least one lane that really makes it.
  const bool may_have_none = address.form == Address::Form::uniform && guarded_by_lanes(inst);
  const std::vector<Value*> values =
      may_have_none ? load_if_any(inst, address, space, mask) : load_elements(inst, address, space, mask);
  order_after(inst);
  write_elements(inst, values);
}

// Begins to fetch what the load finds in a later turn of its loop, if the address goes on as it did since the turn
// before. In the first turn it is any address, and what is fetched is not used.
void MemoryInstructions::fetch_ahead(const ptx::Instruction& inst, const Address& address) {
  constexpr std::uint64_t turns = 8, line = 64;
  if (!address.base) return;
  llvm::AllocaInst* before = entry_alloca(kernel_.abi.i64, "before");
  Value* now = b_.CreatePtrToInt(address.base, kernel_.abi.i64);
  Value* step = b_.CreateSub(now, b_.CreateFreeze(b_.CreateLoad(kernel_.abi.i64, before)));
  b_.CreateStore(now, before);
  Value* later = b_.CreateGEP(kernel_.abi.i8, address.base, b_.CreateMul(step, b_.getInt64(turns)));
  const auto [first, last] = std::minmax_element(address.offsets.begin(), address.offsets.end());
  const std::int64_t end = *last + std::int64_t{ptx::byte_size(inst.d.type)} * inst.d.vector;
  constexpr std::int64_t most = 8 * line;  // lanes that are farther apart would take an instruction each
  for (std::int64_t at = *first; at < std::min(end, *first + most); at += line)
    b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {kernel_.abi.pointer},
                       {b_.CreateConstGEP1_64(kernel_.abi.i8, later, static_cast<std::uint64_t>(at)), b_.getInt32(0),
                        b_.getInt32(3), b_.getInt32(1)});
}

void MemoryInstructions::write_elements(const ptx::Instruction& inst, const std::vector<Value*>& values) {
  const ptx::Operand& destination = inst.operands[0];
  for (unsigned e = 0; e < inst.d.vector; ++e)
    registers_.write_operand(inst.d.vector == 1 ? first_element(destination) : destination.elements[e], inst.d.type,
                             values[e]);
}

std::vector<llvm::Value*> MemoryInstructions::load_elements(const ptx::Instruction& inst, const Address& address,
                                                            Space space, Value* mask) {
  llvm::Type* element = memory_type(inst.d.type);
  const unsigned bytes = ptx::byte_size(inst.d.type), count = inst.d.vector;
  if (whole_.applies(inst, space)) return whole_.load(address, element, count, bytes, mask);
  if (!address.ok) return elements_.load(address, element, count, bytes, mask, space);
  std::vector<Value*> values;
  for (unsigned e = 0; e < count; ++e) {
    const Address at = addresses_.advance(address, e * bytes);
    values.push_back(branches_.either_way(
        at.ok, [&] { return elements_.load(at, element, 1, bytes, mask, space)[0]; },
        [&] { return slow_.gather(at, element, mask); }));
  }
  return values;
}

std::vector<llvm::Value*> MemoryInstructions::load_if_any(const ptx::Instruction& inst, const Address& address,
                                                          Space space, Value* mask) {
  auto* before = b_.GetInsertBlock();
  auto* then = new_block("some");
  auto* after = new_block("after");
  b_.CreateCondBr(any(mask), then, after);
  b_.SetInsertPoint(then);
  std::vector<Value*> values = load_elements(inst, address, space, mask);
  auto* loaded = b_.GetInsertBlock();
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
  for (Value*& value : values) {
    auto* merged = b_.CreatePHI(value->getType(), 2);
    merged->addIncoming(value, loaded);
    merged->addIncoming(llvm::Constant::getNullValue(value->getType()), before);
    value = merged;
  }
  return values;
}

void MemoryInstructions::store(const ptx::Instruction& inst) {
  if (variables_.access(inst, true)) return;
  const ptx::Operand& destination = inst.operands[0];
  const Space space = spaces_.effective_space(inst.d.space, destination);
  Value* mask = registers_.instruction_mask(inst);
  if (kernel_.check)
    checks_.check_access(inst, destination, space, ptx::byte_size(inst.d.type) * inst.d.vector, CheckedAccess::writes,
                         mask, nullptr, checks_.wants_values() ? spilled_values(inst) : nullptr);
  order_before(inst);
  const Address address = addresses_.of(destination, space);
  if (address.form != Address::Form::uniform)
    store_lanes(inst, address, space, mask);
  else if (guarded_by_lanes(inst))
    branches_.when_any(mask, [&] { store_uniform(inst, address, space, mask); });
  else
    store_uniform(inst, address, space, mask);
  order_after(inst);
}

namespace {

const ptx::Operand& stored_element(const ptx::Instruction& inst, unsigned element) {
  const ptx::Operand& source = inst.operands[1];
  return inst.d.vector == 1 ? first_element(source) : source.elements[element];
}

}  // namespace

// What all lanes store, element after element, for the check of races.
llvm::Value* MemoryInstructions::spilled_values(const ptx::Instruction& inst) {
  llvm::Type* const of_lanes = vector_of(memory_type(inst.d.type));
  const unsigned bytes = ptx::byte_size(inst.d.type) * lanes();
  auto* all = entry_alloca(llvm::ArrayType::get(kernel_.abi.i8, std::uint64_t{bytes} * inst.d.vector), "stored");
  for (unsigned e = 0; e < inst.d.vector; ++e) {
    Value* value = registers_.vector(stored_element(inst, e), inst.d.type);
    if (value->getType() != of_lanes) value = b_.CreateBitCast(value, of_lanes);
    b_.CreateAlignedStore(value, b_.CreateConstGEP1_64(kernel_.abi.i8, all, std::uint64_t{e} * bytes), llvm::Align(1));
  }
  return all;
}

// All lanes store to one place: what the last of them stores stays.
void MemoryInstructions::store_uniform(const ptx::Instruction& inst, const Address& address, Space space, Value* mask) {
  const ptx::Type type = inst.d.type;
  const unsigned bytes = ptx::byte_size(type), count = inst.d.vector;
  std::vector<Value*> values;
  for (unsigned e = 0; e < count; ++e) {
    const ptx::Operand& operand = stored_element(inst, e);
    values.push_back(registers_.is_scalar(operand) ? registers_.lane0(operand, type)
                                                   : last_active(registers_.vector(operand, type), mask));
  }
  if (whole_.applies(inst, space)) return whole_.store(address.base, values, bytes);
  for (unsigned e = 0; e < count; ++e)
    tag_space(b_.CreateAlignedStore(values[e], addresses_.advance(address, e * bytes).base, llvm::Align(bytes)), space);
}

void MemoryInstructions::store_lanes(const ptx::Instruction& inst, const Address& address, Space space, Value* mask) {
  const unsigned bytes = ptx::byte_size(inst.d.type), count = inst.d.vector;
  std::vector<Value*> values;
  for (unsigned e = 0; e < count; ++e) values.push_back(registers_.vector(stored_element(inst, e), inst.d.type));
  if (whole_.applies(inst, space)) return whole_.store_lanes(address, values, bytes, mask);
  const auto fast = [&]() -> Value* {
    elements_.store(address, values, bytes, mask, space);
    return nullptr;
  };
  const auto slow = [&]() -> Value* {
    for (unsigned e = 0; e < count; ++e) slow_.scatter(addresses_.advance(address, e * bytes), values[e], mask);
    return nullptr;
  };
  branches_.either_way(address.ok, fast, slow);
}

void MemoryInstructions::prefetch(const ptx::Instruction& inst) {
  if (inst.operands.empty() || inst.operands[0].kind != OperandKind::address) return;
  const Address address = addresses_.of(inst.operands[0], spaces_.effective_space(inst.d.space, inst.operands[0]));
  if (!address.base) return;  // a hint: scattered addresses are not worth 32 instructions
  b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {kernel_.abi.pointer},
                     {address.base, b_.getInt32(0), b_.getInt32(inst.has(ptx::Modifier::l1) ? 3 : 2), b_.getInt32(1)});
}

// Strong accesses must not move over others; the host's own order is enough for acquire and release on x86, elsewhere
// the fences become instructions.
void MemoryInstructions::order_before(const ptx::Instruction& inst) {
  if (inst.d.order == ptx::Order::weak || inst.d.nc) return;
  if (inst.d.order == ptx::Order::release || inst.d.order == ptx::Order::acq_rel)
    b_.CreateFence(llvm::AtomicOrdering::Release);
  else
    b_.CreateFence(llvm::AtomicOrdering::AcquireRelease, llvm::SyncScope::SingleThread);
}

void MemoryInstructions::order_after(const ptx::Instruction& inst) {
  if (inst.d.order == ptx::Order::weak || inst.d.nc) return;
  if (inst.d.order == ptx::Order::acquire || inst.d.order == ptx::Order::acq_rel)
    b_.CreateFence(llvm::AtomicOrdering::Acquire);
  else
    b_.CreateFence(llvm::AtomicOrdering::AcquireRelease, llvm::SyncScope::SingleThread);
}

}  // namespace heddle::device::cpu
