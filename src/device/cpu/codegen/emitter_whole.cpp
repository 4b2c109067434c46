#include "device/cpu/codegen/emitter_whole.hpp"

#include <llvm/IR/Constants.h>

namespace heddle::device::cpu {

using ptx::Space;

bool WholeAccess::applies(const ptx::Instruction& inst, Space space) {
  constexpr unsigned most_bytes = 16;  // that the host reads and writes in one piece
  const bool strong = inst.d.order != ptx::Order::weak && !inst.d.nc;
  const bool seen_by_others = space == Space::global || space == Space::generic;
  return strong && seen_by_others && inst.d.vector > 1 && inst.d.vector * ptx::byte_size(inst.d.type) <= most_bytes;
}

// Of the host's instructions for so many bytes, as a type that is never taken apart.
llvm::Type* WholeAccess::whole_type(unsigned bytes) {
  if (bytes == 16) return llvm::FixedVectorType::get(kernel_.abi.i64, 2);
  return llvm::IntegerType::get(kernel_.llvm, bytes * 8);
}

std::vector<llvm::Value*> WholeAccess::load(const Address& address, llvm::Type* element, unsigned count, unsigned bytes,
                                            Value* mask) {
  auto* parts = llvm::FixedVectorType::get(element, count);
  const auto load = [&](Value* pointer) {
    return b_.CreateBitCast(
        b_.CreateAlignedLoad(whole_type(count * bytes), pointer, llvm::Align(bytes), /*isVolatile=*/true), parts);
  };
  std::vector<Value*> values;
  if (address.form == Address::Form::uniform || lanes() == 1) {
    Value* whole = load(address.base);
    for (unsigned e = 0; e < count; ++e) values.push_back(b_.CreateExtractElement(whole, e));
    return values;
  }
  Value* pointers = spill(addresses_.lane_pointers(address));
  std::vector<llvm::AllocaInst*> results;
  for (unsigned e = 0; e < count; ++e) {
    results.push_back(entry_alloca(vector_of(element), "whole"));
    if (mask) b_.CreateStore(llvm::Constant::getNullValue(vector_of(element)), results[e]);
  }
  branches_.for_each_lane(mask, [&](Value* lane) {
    Value* whole = load(element_at(pointers, kernel_.abi.pointer, lane));
    for (unsigned e = 0; e < count; ++e)
      b_.CreateStore(b_.CreateExtractElement(whole, e), element_pointer(results[e], element, lane));
  });
  for (unsigned e = 0; e < count; ++e) values.push_back(b_.CreateLoad(vector_of(element), results[e]));
  return values;
}

void WholeAccess::store(Value* pointer, const std::vector<Value*>& parts, unsigned bytes) {
  const auto count = static_cast<unsigned>(parts.size());
  Value* whole = llvm::PoisonValue::get(llvm::FixedVectorType::get(parts[0]->getType(), count));
  for (unsigned e = 0; e < count; ++e) whole = b_.CreateInsertElement(whole, parts[e], e);
  b_.CreateAlignedStore(b_.CreateBitCast(whole, whole_type(count * bytes)), pointer, llvm::Align(bytes),
                        /*isVolatile=*/true);
}

void WholeAccess::store_lanes(const Address& address, const std::vector<Value*>& values, unsigned bytes, Value* mask) {
  if (lanes() == 1) return branches_.for_each_lane(mask, [&](Value*) { store(address.base, values, bytes); });
  Value* pointers = spill(addresses_.lane_pointers(address));
  std::vector<Value*> spilled;
  for (Value* value : values) spilled.push_back(spill(value));
  llvm::Type* element = values[0]->getType()->getScalarType();
  branches_.for_each_lane(mask, [&](Value* lane) {
    std::vector<Value*> parts;
    for (Value* value : spilled) parts.push_back(element_at(value, element, lane));
    store(element_at(pointers, kernel_.abi.pointer, lane), parts, bytes);
  });
}

}  // namespace heddle::device::cpu
