// Loads and stores.
#include "device/cpu/codegen/emitter.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include <llvm/IR/Constants.h>
#include <llvm/IR/MDBuilder.h>

#include "ptx/forms.hpp"

namespace heddle::device::cpu {

using ptx::OperandKind;
using ptx::Space;
using Kind = ValueForm::Kind;

namespace {
// Shorter runs than this are not worth an access each.
constexpr unsigned min_run = 4;
constexpr std::uint64_t line_bytes = 64;  // of a cache line
}  // namespace

// Accesses to different state spaces never overlap, unless one of them is generic.
void FunctionEmitter::tag(llvm::Instruction* access, Space space) {
  if (space == Space::generic) return;
  llvm::MDBuilder md(kernel_.llvm);
  llvm::MDNode* root = md.createTBAARoot("ptx");
  static constexpr const char* names[] = {"generic", "global", "shared", "local", "global", "param"};
  llvm::MDNode* type = md.createTBAAScalarTypeNode(names[static_cast<unsigned>(space)], root);
  access->setMetadata(llvm::LLVMContext::MD_tbaa, md.createTBAAStructTagNode(type, type, 0));
}

llvm::Value* FunctionEmitter::pointer_at(Value* window, Value* address) {
  if (!window) {
    Value* wide =
        address->getType()->getScalarSizeInBits() == 64 ? address : b_.CreateZExt(address, wide_like(address));
    return b_.CreateIntToPtr(wide,
                             address->getType()->isVectorTy() ? vector_of(kernel_.abi.pointer) : kernel_.abi.pointer);
  }
  // Windows are smaller than 2 GiB: an offset in a 32-bit register may be taken as signed, so that lane 0 may stand in
  // front of the window while it does not take part.
  Value* wide = address->getType()->getScalarSizeInBits() == 64 ? address : b_.CreateSExt(address, wide_like(address));
  return b_.CreateGEP(kernel_.abi.i8, window, wide);
}

FunctionEmitter::Address FunctionEmitter::advance(const Address& address, std::int64_t bytes) {
  if (bytes == 0) return address;
  Address result = address;
  Value* step = b_.getInt64(static_cast<std::uint64_t>(bytes));
  if (address.base) result.base = b_.CreateGEP(kernel_.abi.i8, address.base, step);
  if (address.vector) result.vector = b_.CreateGEP(kernel_.abi.i8, address.vector, step);
  if (address.exact)
    result.exact = [this, exact = address.exact, step] { return b_.CreateGEP(kernel_.abi.i8, exact(), step); };
  return result;
}

// The address operand of an instruction, in the cheapest form that holds.
FunctionEmitter::Address FunctionEmitter::address_of(const ptx::Operand& operand, Space space) {
  if (operand.base == OperandKind::symbol)
    return advance(record_of(spaces_.symbol_place(operand.symbol)), operand.value);
  const auto frame = space == Space::local ? lane_steps(static_cast<std::int64_t>(facts_.memory.bytes)) : lane_steps(0);
  Value* window = spaces_.window_base(space);
  Address result;
  result.offsets = frame;
  if (operand.base != OperandKind::reg) {
    result.base = pointer_at(window, b_.getInt64(static_cast<std::uint64_t>(operand.value)));
    return result.settle();
  }
  const ValueForm form = lanes() == 1 ? ValueForm{Kind::uniform} : facts_.forms[operand.index];
  if (form.kind == Kind::varying) {
    Value* lane_window =
        window && space == Space::local ? b_.CreateGEP(kernel_.abi.i8, window, ramp(b_.getInt64(0), frame)) : window;
    result.form = Address::Form::varying;
    result.vector = pointer_at(lane_window, registers_.read(operand.index));
    return advance(result, operand.value);
  }
  result.base = pointer_at(window, registers_.read(operand.index));
  const auto offsets = facts_.lane_offsets(form);
  for (unsigned lane = 0; lane < lanes(); ++lane) result.offsets[lane] += offsets[lane];
  if (form.kind == Kind::affine && !facts_.assumptions(operand.index).empty()) {
    for (std::uint32_t assumption : facts_.assumptions(operand.index))
      result.ok = both(result.ok, registers_.no_wrap(assumption));
    const std::uint32_t reg = operand.index;
    result.exact = [this, window, reg] { return pointer_at(window, registers_.register_vector(reg)); };
    result.wrapped = wrapped_source(reg);
  }
  return advance(result.settle(), operand.value);
}

FunctionEmitter::Address& FunctionEmitter::Address::settle() {
  form = Form::uniform;
  for (std::int64_t offset : offsets)
    if (offset != 0) form = Form::affine;
  return *this;
}

FunctionEmitter::Address FunctionEmitter::record_of(const SymbolPlace& place) {
  Address result;
  result.base = place.pointer;
  result.offsets = lane_steps(place.stride);
  return result.settle();
}

// One pointer a lane, whatever the form, exact.
llvm::Value* FunctionEmitter::lane_pointers(const Address& address) {
  if (lanes() == 1) return address.base;
  switch (address.form) {
    case Address::Form::uniform: return splat(address.base);
    case Address::Form::varying: return address.vector;
    case Address::Form::affine: break;
  }
  if (address.exact) return address.exact();
  return b_.CreateGEP(kernel_.abi.i8, address.base, ramp(b_.getInt64(0), address.offsets));
}

llvm::Value* FunctionEmitter::gather(Value* pointers, llvm::Type* element, std::uint64_t align, Value* mask) {
  return b_.CreateMaskedGather(vector_of(element), pointers, llvm::Align(align), mask_or_full(mask),
                               llvm::Constant::getNullValue(vector_of(element)));
}

void FunctionEmitter::scatter(Value* pointers, Value* value, std::uint64_t align, Value* mask) {
  b_.CreateMaskedScatter(value, pointers, llvm::Align(align), mask_or_full(mask));
}

// Each lane's bit of a mask, `count` times.
llvm::Value* FunctionEmitter::repeated(Value* mask, unsigned count) {
  if (count == 1) return mask;
  std::vector<int> repeat;
  for (unsigned i = 0; i < lanes() * count; ++i) repeat.push_back(static_cast<int>(i / count));
  return b_.CreateShuffleVector(mask, repeat);
}

// Elements of each lane, one after the other in memory: <lane 0: e0 e1 ...><lane 1: ...>. One wide access and shuffles.
std::vector<llvm::Value*> FunctionEmitter::load_interleaved(const Address& address, llvm::Type* element, unsigned count,
                                                            unsigned bytes, Value* mask, Space space) {
  auto* wide = llvm::FixedVectorType::get(element, lanes() * count);
  llvm::Instruction* all = nullptr;
  if (mask) {
    all = b_.CreateMaskedLoad(wide, address.base, llvm::Align(bytes), repeated(mask, count),
                              llvm::Constant::getNullValue(wide));
  } else {
    all = b_.CreateAlignedLoad(wide, address.base, llvm::Align(bytes));
  }
  tag(all, space);
  if (count == 1) return {all};
  return picked(all, count);
}

void FunctionEmitter::store_interleaved(const Address& address, const std::vector<Value*>& values, unsigned bytes,
                                        Value* mask, Space space) {
  const auto count = static_cast<unsigned>(values.size());
  Value* all = values[0];
  if (count > 1) {
    Value* joined = concatenate(values);
    std::vector<int> weave;
    for (unsigned lane = 0; lane < lanes(); ++lane)
      for (unsigned e = 0; e < count; ++e) weave.push_back(static_cast<int>(e * lanes() + lane));
    all = b_.CreateShuffleVector(joined, weave);
  }
  llvm::Instruction* access = nullptr;
  if (mask) {
    access = b_.CreateMaskedStore(all, address.base, llvm::Align(bytes), repeated(mask, count));
  } else {
    access = b_.CreateAlignedStore(all, address.base, llvm::Align(bytes));
  }
  tag(access, space);
}

// How many lanes at a time lie one after the other in memory, `bytes` apart: a power of two; 1 when none do.
unsigned FunctionEmitter::run_length(const Address& address, std::int64_t bytes) const {
  unsigned length = lanes();
  for (; length > 1; length /= 2) {
    bool regular = true;
    for (unsigned lane = 0; lane < lanes(); ++lane)
      regular &= address.offsets[lane] == address.offsets[lane / length * length] + bytes * (lane % length);
    if (regular) break;
  }
  return length;
}

std::vector<int> FunctionEmitter::numbers(unsigned first, unsigned count) {
  std::vector<int> result(count);
  std::iota(result.begin(), result.end(), static_cast<int>(first));
  return result;
}

llvm::Value* FunctionEmitter::concatenate(std::vector<Value*> parts) {
  while (parts.size() > 1) {
    std::vector<Value*> joined;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
      const auto n = llvm::cast<llvm::FixedVectorType>(parts[i]->getType())->getNumElements();
      joined.push_back(b_.CreateShuffleVector(parts[i], parts[i + 1], numbers(0, 2 * n)));
    }
    parts = std::move(joined);
  }
  return parts[0];
}

// Loads each run of lanes at once. Runs at one place are loaded once.
llvm::Value* FunctionEmitter::load_runs(const Address& address, llvm::Type* element, unsigned bytes, unsigned length,
                                        Value* mask, Space space) {
  std::map<std::int64_t, Value*> unmasked;
  std::vector<Value*> parts;
  auto* part_type = llvm::FixedVectorType::get(element, length);
  for (unsigned first = 0; first < lanes(); first += length) {
    const std::int64_t offset = address.offsets[first];
    if (const auto known = unmasked.find(offset); !mask && known != unmasked.end()) {
      parts.push_back(known->second);
      continue;
    }
    Value* at = b_.CreateConstGEP1_64(kernel_.abi.i8, address.base, static_cast<std::uint64_t>(offset));
    llvm::Instruction* part = nullptr;
    if (mask)
      part =
          b_.CreateMaskedLoad(part_type, at, llvm::Align(bytes), b_.CreateShuffleVector(mask, numbers(first, length)),
                              llvm::Constant::getNullValue(part_type));
    else
      part = b_.CreateAlignedLoad(part_type, at, llvm::Align(bytes));
    tag(part, space);
    unmasked[offset] = part;
    parts.push_back(part);
  }
  return concatenate(std::move(parts));
}

// Whole lines go past the caches where that pays; what else there is goes the plain way.
void FunctionEmitter::stream_or(Value* pointer, Value* value, Value* mask, const std::function<void()>& plain) {
  auto* past = new_block("past_caches");
  auto* through = new_block("through_caches");
  auto* stored = new_block("stored");
  Value* place = b_.CreateAnd(b_.CreatePtrToInt(pointer, kernel_.abi.i64), line_bytes - 1);
  Value* whole = b_.CreateICmpEQ(place, b_.getInt64(0));
  if (mask) {
    Value* bits = mask_bits(mask);
    whole = b_.CreateAnd(whole, b_.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType())));
  }
  b_.CreateCondBr(b_.CreateAnd(inputs_.streams, whole), past, through);
  b_.SetInsertPoint(past);
  auto* store = b_.CreateAlignedStore(value, pointer, llvm::Align(line_bytes));
  store->setMetadata(llvm::LLVMContext::MD_nontemporal,
                     llvm::MDNode::get(kernel_.llvm, llvm::ConstantAsMetadata::get(b_.getInt32(1))));
  b_.CreateBr(stored);
  b_.SetInsertPoint(through);
  plain();
  b_.CreateBr(stored);
  b_.SetInsertPoint(stored);
}

void FunctionEmitter::store_runs(const Address& address, Value* value, unsigned bytes, unsigned length, Value* mask,
                                 Space space) {
  for (unsigned first = 0; first < lanes(); first += length) {
    Value* at = b_.CreateConstGEP1_64(kernel_.abi.i8, address.base, static_cast<std::uint64_t>(address.offsets[first]));
    Value* part = b_.CreateShuffleVector(value, numbers(first, length));
    if (length == lanes() && inputs_.streams && facts_.streaming.stores[context_.index] &&
        bytes * length % line_bytes == 0) {
      stream_or(at, part, mask, [&] {
        if (mask)
          b_.CreateMaskedStore(part, at, llvm::Align(bytes), mask);
        else
          b_.CreateAlignedStore(part, at, llvm::Align(bytes));
      });
      continue;
    }
    llvm::Instruction* store = nullptr;
    if (mask)
      store = b_.CreateMaskedStore(part, at, llvm::Align(bytes), b_.CreateShuffleVector(mask, numbers(first, length)));
    else
      store = b_.CreateAlignedStore(part, at, llvm::Align(bytes));
    tag(store, space);
  }
}

// Few distinct places, each read by many lanes: scalar loads, spread. Only where all lanes run, since a lane that does
// not might be the only one of its place.
llvm::Value* FunctionEmitter::load_few(const Address& address, llvm::Type* element, unsigned bytes, Space space) {
  std::map<std::int64_t, int> places;
  for (std::int64_t offset : address.offsets) places.emplace(offset, 0);
  if (places.size() > 4) return nullptr;
  auto* few = llvm::FixedVectorType::get(element, static_cast<unsigned>(std::bit_ceil(places.size())));
  Value* all = llvm::PoisonValue::get(few);
  int number = 0;
  for (auto& [offset, position] : places) {
    Value* at = b_.CreateConstGEP1_64(kernel_.abi.i8, address.base, static_cast<std::uint64_t>(offset));
    auto* load = b_.CreateAlignedLoad(element, at, llvm::Align(bytes));
    tag(load, space);
    position = number;
    all = b_.CreateInsertElement(all, load, static_cast<std::uint64_t>(number++));
  }
  std::vector<int> pick;
  for (std::int64_t offset : address.offsets) pick.push_back(places[offset]);
  return b_.CreateShuffleVector(all, pick);
}

// `count` elements of `bytes` bytes each from every lane's address, as vectors (scalars for a uniform address).
std::vector<llvm::Value*> FunctionEmitter::load_elements(const Address& address, llvm::Type* element, unsigned count,
                                                         unsigned bytes, Value* mask, Space space) {
  std::vector<Value*> result;
  if (address.form == Address::Form::uniform) {
    for (unsigned e = 0; e < count; ++e) {
      auto* load = b_.CreateAlignedLoad(element, advance(address, e * bytes).base, llvm::Align(bytes));
      tag(load, space);
      if (space == Space::param && function_.is_entry)
        load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(kernel_.llvm, {}));
      result.push_back(load);
    }
    return result;
  }
  const bool affine = address.form == Address::Form::affine;
  if (affine && count > 1 && run_length(address, static_cast<std::int64_t>(count) * bytes) == lanes())
    return load_interleaved(address, element, count, bytes, mask, space);
  const unsigned length = affine ? run_length(address, bytes) : 1;
  for (unsigned e = 0; e < count; ++e) {
    const Address at = advance(address, e * bytes);
    Value* value = nullptr;
    if (length >= min_run)
      value = load_runs(at, element, bytes, length, mask, space);
    else if (affine && !mask)
      value = load_few(at, element, bytes, space);
    if (!value) {
      Value* pointers = affine ? b_.CreateGEP(kernel_.abi.i8, at.base, ramp(b_.getInt64(0), at.offsets)) : at.vector;
      value = gather(pointers, element, bytes, mask);
      tag(llvm::cast<llvm::Instruction>(value), space);
    }
    result.push_back(value);
  }
  return result;
}

void FunctionEmitter::store_elements(const Address& address, const std::vector<Value*>& values, unsigned bytes,
                                     Value* mask, Space space) {
  const bool affine = address.form == Address::Form::affine;
  const auto record = static_cast<std::int64_t>(values.size()) * bytes;
  if (affine && values.size() > 1 && run_length(address, record) == lanes())
    return store_interleaved(address, values, bytes, mask, space);
  const unsigned length = affine ? run_length(address, bytes) : 1;
  for (unsigned e = 0; e < values.size(); ++e) {
    const Address at = advance(address, e * bytes);
    if (length >= min_run)
      store_runs(at, values[e], bytes, length, mask, space);
    else
      scatter(affine ? b_.CreateGEP(kernel_.abi.i8, at.base, ramp(b_.getInt64(0), at.offsets)) : at.vector, values[e],
              bytes, mask);
  }
}

// Strong accesses must not move over others; the host's own order is enough for acquire and release on x86, elsewhere
// the fences become instructions.
void FunctionEmitter::order_before(const ptx::Instruction& inst) {
  if (inst.d.order == ptx::Order::weak || inst.d.nc) return;
  if (inst.d.order == ptx::Order::release || inst.d.order == ptx::Order::acq_rel)
    b_.CreateFence(llvm::AtomicOrdering::Release);
  else
    b_.CreateFence(llvm::AtomicOrdering::AcquireRelease, llvm::SyncScope::SingleThread);
}

void FunctionEmitter::order_after(const ptx::Instruction& inst) {
  if (inst.d.order == ptx::Order::weak || inst.d.nc) return;
  if (inst.d.order == ptx::Order::acquire || inst.d.order == ptx::Order::acq_rel)
    b_.CreateFence(llvm::AtomicOrdering::Acquire);
  else
    b_.CreateFence(llvm::AtomicOrdering::AcquireRelease, llvm::SyncScope::SingleThread);
}

void FunctionEmitter::emit_load(const ptx::Instruction& inst) {
  if (lane_slot_access(inst, false)) return;
  const ptx::Operand& destination = inst.operands[0];
  const ptx::Operand& source = inst.operands[1];
  const ptx::Type type = inst.d.type;
  llvm::Type* element = memory_type(type);
  const unsigned bytes = ptx::byte_size(type);
  const unsigned count = inst.d.vector;
  const Space space = spaces_.effective_space(inst.d.space, source);
  Value* mask = registers_.instruction_mask(inst);
  if (kernel_.check) check_access(inst, source, space, bytes * count, CheckedAccess::reads, mask);
  if (const auto merged = facts_.merged_loads.places.find(context_.index);
      !kernel_.check && merged != facts_.merged_loads.places.end()) {
    const auto values = merged_elements(inst, merged->second);
    for (unsigned e = 0; e < count; ++e)
      registers_.write_operand(count == 1 ? first_element(destination) : destination.elements[e], type, values[e]);
    return;
  }
  order_before(inst);
  const Address address = address_of(source, space);
  const auto load = [&]() -> std::vector<Value*> {
    if (is_whole_access(inst, space)) return load_whole(address, element, count, bytes, mask);
    if (!address.ok) return load_elements(address, element, count, bytes, mask, space);
    std::vector<Value*> values;
    for (unsigned e = 0; e < count; ++e) {
      const Address at = advance(address, e * bytes);
      values.push_back(branches_.either_way(
          at.ok, [&] { return load_elements(at, element, 1, bytes, mask, space)[0]; },
          [&] { return slow_gather(at, element, mask); }));
    }
    return values;
  };
  std::vector<Value*> values;
  // A scalar access needs at least one lane that really makes it.
  if (address.form == Address::Form::uniform && guarded_by_lanes(inst)) {
    std::vector<std::pair<Value*, llvm::BasicBlock*>> ends;
    auto* before = b_.GetInsertBlock();
    auto* then = new_block("some");
    auto* after = new_block("after");
    b_.CreateCondBr(any(mask), then, after);
    b_.SetInsertPoint(then);
    values = load();
    auto* loaded = b_.GetInsertBlock();
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
    for (Value*& value : values) {
      auto* merged = b_.CreatePHI(value->getType(), 2);
      merged->addIncoming(value, loaded);
      merged->addIncoming(llvm::Constant::getNullValue(value->getType()), before);
      value = merged;
    }
  } else {
    values = load();
  }
  order_after(inst);
  for (unsigned e = 0; e < count; ++e)
    registers_.write_operand(count == 1 ? first_element(destination) : destination.elements[e], type, values[e]);
}

void FunctionEmitter::emit_store(const ptx::Instruction& inst) {
  if (lane_slot_access(inst, true)) return;
  const ptx::Operand& destination = inst.operands[0];
  const ptx::Operand& source = inst.operands[1];
  const ptx::Type type = inst.d.type;
  const unsigned bytes = ptx::byte_size(type);
  const unsigned count = inst.d.vector;
  const Space space = spaces_.effective_space(inst.d.space, destination);
  Value* mask = registers_.instruction_mask(inst);
  if (kernel_.check) check_access(inst, destination, space, bytes * count, CheckedAccess::writes, mask);
  const auto operand = [&](unsigned e) -> const ptx::Operand& {
    return count == 1 ? first_element(source) : source.elements[e];
  };
  order_before(inst);
  const Address address = address_of(destination, space);
  if (address.form == Address::Form::uniform) {
    const auto store = [&] {
      std::vector<Value*> values;
      for (unsigned e = 0; e < count; ++e)
        values.push_back(registers_.is_scalar(operand(e)) ? registers_.lane0(operand(e), type)
                                                          : last_active(registers_.vector(operand(e), type), mask));
      if (is_whole_access(inst, space)) return store_whole(address.base, values, bytes);
      for (unsigned e = 0; e < count; ++e)
        tag(b_.CreateAlignedStore(values[e], advance(address, e * bytes).base, llvm::Align(bytes)), space);
    };
    if (guarded_by_lanes(inst))
      branches_.when_any(mask, store);
    else
      store();
  } else {
    std::vector<Value*> values;
    for (unsigned e = 0; e < count; ++e) values.push_back(registers_.vector(operand(e), type));
    if (is_whole_access(inst, space))
      store_whole_lanes(address, values, bytes, mask);
    else
      branches_.either_way(
          address.ok,
          [&]() -> Value* {
            store_elements(address, values, bytes, mask, space);
            return nullptr;
          },
          [&]() -> Value* {
            for (unsigned e = 0; e < count; ++e) slow_scatter(advance(address, e * bytes), values[e], mask);
            return nullptr;
          });
  }
  order_after(inst);
}

const ptx::Operand& FunctionEmitter::first_element(const ptx::Operand& operand) {
  return operand.kind == OperandKind::vector ? operand.elements[0] : operand;
}

void FunctionEmitter::emit_prefetch(const ptx::Instruction& inst) {
  if (inst.operands.empty() || inst.operands[0].kind != OperandKind::address) return;
  const Address address = address_of(inst.operands[0], spaces_.effective_space(inst.d.space, inst.operands[0]));
  if (!address.base) return;  // a hint: scattered addresses are not worth 32 instructions
  b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {kernel_.abi.pointer},
                     {address.base, b_.getInt32(0), b_.getInt32(inst.has(ptx::Modifier::l1) ? 3 : 2), b_.getInt32(1)});
}

}  // namespace heddle::device::cpu
