#include "device/cpu/codegen/emitter_lane_memory.hpp"

#include <llvm/IR/Constants.h>

namespace heddle::device::cpu {

using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

bool LaneVariables::access(const ptx::Instruction& inst, bool is_store) {
  const ptx::Operand& place = inst.operands[is_store ? 0 : 1];
  if (place.base != OperandKind::symbol || place.symbol.kind != ptx::SymbolRef::Kind::local_variable) return false;
  if (!facts_.memory.in_slots[place.symbol.index]) return false;
  const ptx::Operand& data = inst.operands[is_store ? 1 : 0];
  const unsigned bytes = ptx::byte_size(inst.d.type);
  for (unsigned e = 0; e < inst.d.vector; ++e) {
    const ptx::Operand& element = inst.d.vector == 1 ? first_element(data) : data.elements[e];
    const std::int64_t offset = place.value + e * bytes;
    if (is_store)
      write(place.symbol.index, offset, inst.d.type, registers_.vector(element, inst.d.type),
            registers_.instruction_mask(inst));
    else
      registers_.write_operand(element, inst.d.type, read(place.symbol.index, offset, inst.d.type));
  }
  return true;
}

llvm::Value* LaneVariables::read(std::uint32_t variable, std::int64_t offset, Type type) {
  const unsigned bytes = ptx::byte_size(type);
  if (facts_.memory.in_slots[variable]) {
    llvm::AllocaInst* place = slot(variable, offset, bytes);
    return fit(b_.CreateLoad(place->getAllocatedType(), place), type);
  }
  const Address address = addresses_.advance(record(variable), offset);
  return elements_.load(address, memory_type(type), 1, bytes, context_.mask, Space::local)[0];
}

void LaneVariables::write(std::uint32_t variable, std::int64_t offset, Type type, Value* value, Value* mask) {
  const unsigned bytes = ptx::byte_size(type);
  if (facts_.memory.in_slots[variable]) {
    llvm::AllocaInst* place = slot(variable, offset, bytes);
    value = b_.CreateBitCast(value, place->getAllocatedType());
    if (mask && lanes() > 1) value = b_.CreateSelect(mask, value, b_.CreateLoad(place->getAllocatedType(), place));
    b_.CreateStore(value, place);
    return;
  }
  const Address address = addresses_.advance(record(variable), offset);
  if (lanes() == 1)
    b_.CreateAlignedStore(value, address.base, llvm::Align(bytes));
  else
    elements_.store(address, {value}, bytes, mask, Space::local);
}

void LaneVariables::copy_records(const ptx::SymbolRef& symbol, Value* frame, std::uint64_t stride, std::uint64_t bytes,
                                 Value* mask, bool to_frame) {
  const SymbolPlace place = spaces_.symbol_place(symbol);
  branches_.for_each_lane(mask, [&](Value* lane) {
    Value* wide = b_.CreateZExt(lane, kernel_.abi.i64);
    Value* record = b_.CreateGEP(kernel_.abi.i8, place.pointer, b_.CreateMul(wide, b_.getInt64(place.stride)));
    Value* slot = b_.CreateGEP(kernel_.abi.i8, frame, b_.CreateMul(wide, b_.getInt64(stride)));
    b_.CreateMemCpy(to_frame ? slot : record, llvm::MaybeAlign(), to_frame ? record : slot, llvm::MaybeAlign(), bytes);
  });
}

llvm::AllocaInst* LaneVariables::slot(std::uint32_t variable, std::int64_t offset, unsigned bytes) {
  auto*& place = slots_[{variable, offset}];
  if (!place)
    place =
        entry_alloca(vector_of(llvm::IntegerType::get(kernel_.llvm, bytes * 8)), function_.variables[variable].name);
  return place;
}

Address LaneVariables::record(std::uint32_t variable) {
  return addresses_.of_place(spaces_.symbol_place({ptx::SymbolRef::Kind::local_variable, variable}));
}

}  // namespace heddle::device::cpu
