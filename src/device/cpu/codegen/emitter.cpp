// One instruction after the other.
#include "device/cpu/codegen/emitter.hpp"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>

#include "device/cpu/codegen/soft_functions.hpp"
#include "heddle/error.hpp"
#include "ptx/forms.hpp"

namespace heddle::device::cpu {

using ptx::Modifier;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Type;
using Kind = ValueForm::Kind;

FunctionEmitter::FunctionEmitter(FunctionContext& context)
    : EmitterPart(context),
      schedule_(*facts_.schedule),
      values_(context),
      runtime_(values_.runtime),
      spaces_(values_.spaces),
      special_(values_.special),
      arithmetic_(values_.arithmetic),
      registers_(values_.registers),
      branches_(values_.branches) {
  merged_.resize(facts_.merged_loads.groups.size());
  const std::size_t blocks = facts_.cfg.size();
  mask_slots_.resize(blocks);
  pending_slots_.resize(blocks);
  bodies_.resize(blocks);
  looks_.resize(blocks);
}

void FunctionEmitter::emit(llvm::IRBuilder<>& entry) {
  // Allocas go to the function's first block, the rest behind what the caller has emitted.
  context_.alloca_point = &*context_.function->getEntryBlock().getFirstInsertionPt();
  if (kernel_.debug) context_.scope = context_.function->getSubprogram();
  b_.SetInsertPoint(entry.GetInsertBlock());
  if (context_.scope)
    b_.SetCurrentDebugLocation(
        llvm::DILocation::get(kernel_.llvm, function_.line ? function_.line : 1, 0, context_.scope));
  llvm::Type* mask_type = vector_of(kernel_.abi.i1);
  for (std::uint32_t block : schedule_.order()) {
    if (lanes() == 1) break;
    if (schedule_.partial(block) && schedule_.mask_of(block) == Schedule::none)
      mask_slots_[block] = entry_alloca(mask_type, "mask");
    if (!schedule_.has_pending(block)) continue;
    if (!mask_slots_[block]) mask_slots_[block] = entry_alloca(mask_type, "mask");
    pending_slots_[block] = entry_alloca(mask_type, "waiting");
    b_.CreateStore(llvm::Constant::getNullValue(mask_type), pending_slots_[block]);
  }
  const std::uint32_t first = schedule_.order()[0];
  if (mask_slots_[first]) b_.CreateStore(mask_or_full(inputs_.mask), mask_slots_[first]);
  // Registers that may be read before they are written hold zero.
  facts_.liveness.for_each_live_in(first, [&](std::uint32_t reg) { registers_.clear(reg); });
  b_.CreateBr(body(first));
  for (std::uint32_t block : schedule_.order()) emit_block(block);
  emit_places();
}

namespace {

// Instructions whose only effect is on registers, and that never trap: a guard merely chooses between old and new
// values.
bool is_pure(const ptx::Instruction& inst) {
  return ArithmeticEmitter::handles(inst.opcode) || inst.opcode == Opcode::mov || inst.opcode == Opcode::cvta ||
         inst.opcode == Opcode::isspacep;
}

}  // namespace

void FunctionEmitter::emit_instruction(const ptx::Instruction& inst) {
  set_location(inst);
  const bool scalar_guard = inst.guard.present && !guarded_by_lanes(inst);
  registers_.start_instruction();
  if (scalar_guard && !is_pure(inst))
    emit_behind_branch(inst);
  else
    dispatch(inst);
  if (const auto facts = facts_.no_wrap_at.find(context_.index); facts != facts_.no_wrap_at.end())
    for (std::uint32_t assumption : facts->second) registers_.check_no_wrap(assumption);
}

// A guard that is the same for all lanes is a branch around the instruction.
void FunctionEmitter::emit_behind_branch(const ptx::Instruction& inst) {
  ptx::Operand predicate = ptx::Operand::make_reg(inst.guard.reg);
  predicate.negated = inst.guard.negated;
  std::map<std::uint32_t, Value*> before;
  ptx::for_each_def(inst, [&](std::uint32_t reg, const ptx::Slot&) { before[reg] = registers_.read(reg); });
  Value* condition = registers_.lane0(predicate, Type::pred);
  auto* start = b_.GetInsertBlock();
  auto* then = new_block("guarded");
  auto* after = new_block("unguarded");
  b_.CreateCondBr(condition, then, after);
  b_.SetInsertPoint(then);
  const Registers::Results results = registers_.captured_in_branch([&] { dispatch(inst); });
  auto* end = b_.GetInsertBlock();
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
  for (const auto& [reg, value] : results) {
    auto* merged = b_.CreatePHI(value->getType(), 2);
    merged->addIncoming(value, end);
    merged->addIncoming(before[reg], start);
    before[reg] = merged;
  }
  for (const auto& [reg, value] : results) registers_.write(reg, before[reg]);
}

void FunctionEmitter::dispatch(const ptx::Instruction& inst) {
  const bool is_store = inst.opcode == Opcode::st || inst.opcode == Opcode::red;
  if (inst.has(Modifier::bulk) || (is_store && inst.has(Modifier::proxy_async)))
    refuse(inst, "asynchronous stores and bulk copies are not supported by the CPU device");
  if (kernel_.check) check_members(inst);
  switch (inst.opcode) {
    case Opcode::ld:
    case Opcode::ldu: return emit_load(inst);
    case Opcode::st: return emit_store(inst);
    case Opcode::mov: return emit_mov(inst);
    case Opcode::cvta: return emit_cvta(inst);
    case Opcode::isspacep: return emit_isspacep(inst);
    case Opcode::prefetch:
    case Opcode::prefetchu: return emit_prefetch(inst);
    case Opcode::cp: return emit_cp_async(inst);
    case Opcode::mbarrier: return emit_mbarrier(inst);
    case Opcode::atom:
    case Opcode::red: return emit_atomic(inst);
    case Opcode::membar:
    case Opcode::fence: return emit_fence(inst);
    case Opcode::bar:
    case Opcode::barrier: return emit_barrier(inst);
    case Opcode::shfl: return emit_shfl(inst);
    case Opcode::vote: return emit_vote(inst);
    case Opcode::match: return emit_match(inst);
    case Opcode::redux: return emit_redux(inst);
    case Opcode::elect: return emit_elect(inst);
    case Opcode::activemask: return emit_activemask(inst);
    case Opcode::call: return emit_call(inst);
    case Opcode::trap:
    case Opcode::brkpt: return emit_trap(inst);
    case Opcode::nanosleep: return emit_nanosleep(inst);
    case Opcode::getctarank: return registers_.write_operand(inst.operands[0], Type::u32, b_.getInt32(0));
    case Opcode::mapa:
      return registers_.write_operand(inst.operands[0], inst.d.type,
                                      results_scalar(inst) ? registers_.lane0(inst.operands[1], inst.d.type)
                                                           : registers_.vector(inst.operands[1], inst.d.type));
    case Opcode::createpolicy: return registers_.write_operand(inst.operands[0], Type::b64, b_.getInt64(0));
    // Hints, and events for tools that are not there.
    case Opcode::pmevent:
    case Opcode::applypriority:
    case Opcode::discard:
    case Opcode::griddepcontrol:
    case Opcode::setmaxnreg: return;
    default: break;
  }
  if (!ArithmeticEmitter::handles(inst.opcode)) refuse(inst, "this instruction is not supported by the CPU device");
  emit_arithmetic(inst);
}

namespace {

bool writes_nothing(const ptx::Instruction& inst) {
  bool writes = false;
  ptx::for_each_def(inst, [&](std::uint32_t, const ptx::Slot&) { writes = true; });
  return !writes;
}

}  // namespace

void FunctionEmitter::emit_arithmetic(const ptx::Instruction& inst) {
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
  Value* carry = carries ? read_carry() : nullptr;
  Value* active = scalar ? nullptr : registers_.instruction_mask(inst);
  const auto results = arithmetic_.emit(inst, operands, active, carry);
  if (carries) b_.CreateStore(carry, carry_);
  unsigned number = 0;
  for (unsigned i = 0; i < list.size; ++i) {
    if (list[i].role != ptx::Role::def) continue;
    Value* value = results[number++];
    if (!value || inst.operands[i].kind != OperandKind::reg) continue;
    if (facts_.nan_bits.settle(context_.index)) value = canonical_nan(value);
    const bool wants_scalar = facts_.forms[inst.operands[i].index].kind != Kind::varying && lanes() > 1;
    if (wants_scalar && value->getType()->isVectorTy()) value = first_active(value);
    registers_.write_operand(inst.operands[i], list[i].type, value);
  }
}

bool FunctionEmitter::uses_carry(const ptx::Instruction& inst) const {
  return inst.d.carry_out || inst.opcode == Opcode::addc || inst.opcode == Opcode::subc || inst.opcode == Opcode::madc;
}

// The condition code register: one bit a lane.
llvm::Value* FunctionEmitter::read_carry() {
  llvm::Type* type = vector_of(kernel_.abi.i1);
  if (!carry_) {
    carry_ = entry_alloca(type, "carry");
    llvm::IRBuilder<> builder(carry_->getNextNode());
    builder.CreateStore(llvm::Constant::getNullValue(type), carry_);
  }
  return b_.CreateLoad(type, carry_);
}

// mov of registers, constants, special registers and addresses; packing {a, b} into one register and back.
void FunctionEmitter::emit_mov(const ptx::Instruction& inst) {
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
  if (from.kind == OperandKind::symbol && spaces_.has_lane_address(from.symbol)) {
    Value* pointers = lane_pointers(advance(record_of(spaces_.symbol_place(from.symbol)), from.value));
    return registers_.write_operand(
        to, type, b_.CreatePtrToInt(pointers, lanes() > 1 ? vector_of(kernel_.abi.i64) : kernel_.abi.i64));
  }
  registers_.write_operand(to, type, value_of(from, type));
}

Type FunctionEmitter::part_type(unsigned bits) {
  switch (bits) {
    case 8: return Type::b8;
    case 16: return Type::b16;
    case 32: return Type::b32;
    default: return Type::b64;
  }
}

}  // namespace heddle::device::cpu
