#include "device/cpu/codegen/emitter_data.hpp"

#include <llvm/IR/Constants.h>

#include "ptx/analysis/lanes/lane_address.hpp"
#include "ptx/forms.hpp"

namespace heddle::device::cpu {

using ptx::Opcode;
using ptx::OperandKind;
using ptx::Type;

namespace {

bool writes_nothing(const ptx::Instruction& inst) {
  bool writes = false;
  ptx::for_each_def(inst, [&](std::uint32_t, const ptx::Slot&) { writes = true; });
  return !writes;
}

}  // namespace

Type DataInstructions::part_type(unsigned bits) {
  switch (bits) {
    case 8: return Type::b8;
    case 16: return Type::b16;
    case 32: return Type::b32;
    default: return Type::b64;
  }
}

void DataInstructions::arithmetic(const ptx::Instruction& inst) {
  const ptx::SlotList list = ptx::slots(inst);
  const bool carries = uses_carry(inst);
  if (!carries && writes_nothing(inst)) return;  // its results are all _
  const bool scalar = results_scalar(inst) && !carries;
  std::vector<Value*> operands;
  for (unsigned i = 0; i < list.size; ++i) {
    if (list[i].role == ptx::Role::def) continue;
    const ptx::Operand& operand = inst.operands[i];
    if (!operand.present())
      operands.push_back(nullptr);
    else
      operands.push_back(scalar ? registers_.lane0(operand, list[i].type) : registers_.vector(operand, list[i].type));
  }
  Value* const carry_before = carries ? read_carry() : nullptr;
  Value* carry = carry_before;
  Value* active = scalar ? nullptr : registers_.instruction_mask(inst);
  const auto results = arithmetic_.emit(inst, operands, active, carry);
  if (carries) {
    Value* const lanes_that_run = registers_.writing_lanes();
    b_.CreateStore(lanes_that_run ? b_.CreateSelect(lanes_that_run, carry, carry_before) : carry, carry_);
  }
  unsigned number = 0;
  for (unsigned i = 0; i < list.size; ++i) {
    if (list[i].role != ptx::Role::def) continue;
    Value* value = results[number++];
    if (!value || inst.operands[i].kind != OperandKind::reg) continue;
    if (facts_.nan_bits.settle(context_.index)) value = canonical_nan(value);
    registers_.write_operand(inst.operands[i], list[i].type, value);
  }
}

bool DataInstructions::uses_carry(const ptx::Instruction& inst) {
  return inst.d.carry_out || inst.opcode == Opcode::addc || inst.opcode == Opcode::subc || inst.opcode == Opcode::madc;
}

// The condition code register: one bit a lane.
llvm::Value* DataInstructions::read_carry() {
  llvm::Type* type = vector_of(kernel_.abi.i1);
  if (!carry_) {
    carry_ = entry_alloca(type, "carry");
    llvm::IRBuilder<> builder(carry_->getNextNode());
    builder.CreateStore(llvm::Constant::getNullValue(type), carry_);
  }
  return b_.CreateLoad(type, carry_);
}

void DataInstructions::mov(const ptx::Instruction& inst) {
  const ptx::Operand &to = inst.operands[0], &from = inst.operands[1];
  const Type type = inst.d.type;
  const bool scalar = results_scalar(inst);
  const auto value_of = [&](const ptx::Operand& operand, Type t) {
    return scalar ? registers_.lane0(operand, t) : registers_.vector(operand, t);
  };
  const auto integer = [&](unsigned bits) -> llvm::Type* {
    auto* element = llvm::IntegerType::get(kernel_.llvm, bits);
    return scalar ? static_cast<llvm::Type*>(element) : vector_of(element);
  };
  if (from.kind == OperandKind::vector && to.kind == OperandKind::vector) {
    for (std::size_t e = 0; e < to.elements.size(); ++e)
      registers_.write_operand(to.elements[e], type, value_of(from.elements[e], type));
    return;
  }
  if (from.kind == OperandKind::vector) {
    const unsigned bits = ptx::bit_width(type), part = bits / static_cast<unsigned>(from.elements.size());
    Value* packed = llvm::Constant::getNullValue(integer(bits));
    for (std::size_t e = 0; e < from.elements.size(); ++e) {
      Value* element = b_.CreateBitCast(value_of(from.elements[e], part_type(part)), integer(part));
      Value* moved = b_.CreateShl(b_.CreateZExt(element, integer(bits)), static_cast<std::uint64_t>(e * part));
      packed = b_.CreateOr(packed, moved);
    }
    return registers_.write_operand(to, type, packed);
  }
  if (to.kind == OperandKind::vector) {
    const unsigned bits = ptx::bit_width(type), part = bits / static_cast<unsigned>(to.elements.size());
    Value* packed = b_.CreateBitCast(value_of(from, type), integer(bits));
    for (std::size_t e = 0; e < to.elements.size(); ++e) {
      if (to.elements[e].kind != OperandKind::reg) continue;
      Value* element = b_.CreateTrunc(b_.CreateLShr(packed, static_cast<std::uint64_t>(e * part)), integer(part));
      registers_.write_operand(to.elements[e], part_type(part), element);
    }
    return;
  }
  // The address of a variable with one record a lane differs from lane to lane.
  if (from.kind == OperandKind::symbol && ptx::analysis::has_lane_address(function_, from.symbol)) {
    Value* pointers = addresses_.lane_pointers(
        addresses_.advance(addresses_.of_place(spaces_.symbol_place(from.symbol)), from.value));
    return registers_.write_operand(
        to, type, b_.CreatePtrToInt(pointers, lanes() > 1 ? vector_of(kernel_.abi.i64) : kernel_.abi.i64));
  }
  registers_.write_operand(to, type, value_of(from, type));
}

}  // namespace heddle::device::cpu
