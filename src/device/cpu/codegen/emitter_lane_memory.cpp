// Memory of single lanes: .local variables, and the .param variables that carry arguments of calls.
//
// Variables that are only accessed directly, at constant offsets and in one width for each offset, live in slots: one
// LLVM variable for all lanes, which becomes a register. Others lie in a frame, one record a lane, so that generic
// pointers to them work.
#include "device/cpu/codegen/emitter.hpp"

#include <llvm/IR/Constants.h>

namespace heddle::device::cpu {

using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

llvm::AllocaInst* FunctionEmitter::lane_slot(std::uint32_t variable, std::int64_t offset, unsigned bytes) {
  auto*& place = lane_slots_[{variable, offset}];
  if (!place)
    place =
        entry_alloca(vector_of(llvm::IntegerType::get(kernel_.llvm, bytes * 8)), function_.variables[variable].name);
  return place;
}

llvm::Value* FunctionEmitter::read_lane_variable(std::uint32_t variable, std::int64_t offset, Type type) {
  const unsigned bytes = ptx::byte_size(type);
  if (facts_.memory.in_slots[variable]) {
    llvm::AllocaInst* place = lane_slot(variable, offset, bytes);
    return fit(b_.CreateLoad(place->getAllocatedType(), place), type);
  }
  const Address address = advance(lane_record(variable), offset);
  return load_elements(address, memory_type(type), 1, bytes, context_.mask, Space::local)[0];
}

void FunctionEmitter::write_lane_variable(std::uint32_t variable, std::int64_t offset, Type type, Value* value,
                                          Value* mask) {
  const unsigned bytes = ptx::byte_size(type);
  if (facts_.memory.in_slots[variable]) {
    llvm::AllocaInst* place = lane_slot(variable, offset, bytes);
    value = b_.CreateBitCast(value, place->getAllocatedType());
    if (mask && lanes() > 1) value = b_.CreateSelect(mask, value, b_.CreateLoad(place->getAllocatedType(), place));
    b_.CreateStore(value, place);
    return;
  }
  const Address address = advance(lane_record(variable), offset);
  if (lanes() == 1)
    b_.CreateAlignedStore(value, address.base, llvm::Align(bytes));
  else
    store_elements(address, {value}, bytes, mask, Space::local);
}

FunctionEmitter::Address FunctionEmitter::lane_record(std::uint32_t variable) {
  return record_of(spaces_.symbol_place({ptx::SymbolRef::Kind::local_variable, variable}));
}

// ld and st of variables in slots; false for any other access.
bool FunctionEmitter::lane_slot_access(const ptx::Instruction& inst, bool is_store) {
  const ptx::Operand& place = inst.operands[is_store ? 0 : 1];
  if (place.base != OperandKind::symbol || place.symbol.kind != ptx::SymbolRef::Kind::local_variable) return false;
  if (!facts_.memory.in_slots[place.symbol.index]) return false;
  const ptx::Operand& data = inst.operands[is_store ? 1 : 0];
  const unsigned bytes = ptx::byte_size(inst.d.type);
  for (unsigned e = 0; e < inst.d.vector; ++e) {
    const ptx::Operand& element = inst.d.vector == 1 ? first_element(data) : data.elements[e];
    const std::int64_t offset = place.value + e * bytes;
    if (is_store)
      write_lane_variable(place.symbol.index, offset, inst.d.type, registers_.vector(element, inst.d.type),
                          registers_.instruction_mask(inst));
    else
      registers_.write_operand(element, inst.d.type, read_lane_variable(place.symbol.index, offset, inst.d.type));
  }
  return true;
}

// Copies `bytes` bytes of each lane between a variable's record and a frame with one record of `stride` bytes a lane.
void FunctionEmitter::copy_lane_records(const ptx::SymbolRef& symbol, Value* frame, std::uint64_t stride,
                                        std::uint64_t bytes, Value* mask, bool to_frame) {
  const SymbolPlace place = spaces_.symbol_place(symbol);
  branches_.for_each_lane(mask, [&](Value* lane) {
    Value* wide = b_.CreateZExt(lane, kernel_.abi.i64);
    Value* record = b_.CreateGEP(kernel_.abi.i8, place.pointer, b_.CreateMul(wide, b_.getInt64(place.stride)));
    Value* slot = b_.CreateGEP(kernel_.abi.i8, frame, b_.CreateMul(wide, b_.getInt64(stride)));
    b_.CreateMemCpy(to_frame ? slot : record, llvm::MaybeAlign(), to_frame ? record : slot, llvm::MaybeAlign(), bytes);
  });
}

}  // namespace heddle::device::cpu
