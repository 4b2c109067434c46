#include "device/cpu/codegen/emitter_registers.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <llvm/IR/Constants.h>

#include "ptx/forms.hpp"

namespace heddle::device::cpu {

using ptx::OperandKind;
using ptx::Type;
using Kind = ValueForm::Kind;

Registers::Registers(FunctionContext& context, StateSpaces& spaces, SpecialRegisters& special,
                     ArithmeticEmitter& arithmetic)
    : EmitterPart(context),
      spaces_(spaces),
      special_(special),
      arithmetic_(arithmetic),
      slots_(function_.registers.size()),
      no_wrap_(facts_.no_wrap.size()),
      current_(function_.registers.size()),
      current_no_wrap_(facts_.no_wrap.size()) {}

void Registers::start_block() {
  for (std::uint32_t reg : touched_) current_[reg] = nullptr;
  touched_.clear();
  std::fill(current_no_wrap_.begin(), current_no_wrap_.end(), nullptr);
}

void Registers::start_instruction() {
  guard_done_ = false;
  guard_value_ = nullptr;
}

ValueForm Registers::form_of(const ptx::Operand& operand) const {
  if (lanes() == 1) return {Kind::uniform};
  switch (operand.kind) {
    case OperandKind::reg: return facts_.forms[operand.index];
    case OperandKind::special: return facts_.special_form(operand.special);
    case OperandKind::vector: {
      for (const ptx::Operand& element : operand.elements)
        if (form_of(element).kind != Kind::uniform) return {};
      return {Kind::uniform};
    }
    default: return {Kind::uniform};
  }
}

llvm::Value* Registers::constant(const ptx::Operand& operand, ptx::Type type) {
  llvm::Type* wanted = carrier(kernel_.llvm, type, 0);
  std::uint64_t bits = static_cast<std::uint64_t>(operand.value);
  if (operand.kind == OperandKind::real) {
    // A literal is an f64 unless written 0f...; the instruction's type decides what it becomes.
    const bool narrow = operand.real_type == ptx::Type::f32;
    const double value = narrow ? std::bit_cast<float>(static_cast<std::uint32_t>(bits)) : std::bit_cast<double>(bits);
    if (type == ptx::Type::f32)
      bits = narrow ? bits : std::bit_cast<std::uint32_t>(static_cast<float>(value));
    else if (type == ptx::Type::f64 && narrow)
      bits = std::bit_cast<std::uint64_t>(value);
  } else if (type == ptx::Type::f64 || type == ptx::Type::f32) {
    // An integer literal in a floating-point instruction stands for its bits.
  }
  const unsigned width = wanted->getScalarSizeInBits();
  llvm::APInt integer(width, 0);
  if (width <= 64)
    integer = llvm::APInt(64, bits).trunc(width);
  else
    integer = llvm::APInt(width, bits, true);
  return llvm::ConstantExpr::getBitCast(llvm::ConstantInt::get(kernel_.llvm, integer), wanted);
}

llvm::Value* Registers::seen(const ptx::Operand& operand, Value* value) {
  const bool settled = !facts_.nan_bits.raw(operand.index) || !facts_.nan_bits.looks_at_bits(context_.index);
  return settled || value->getType()->getScalarSizeInBits() != 32 ? value : canonical_nan(value);
}

llvm::Value* Registers::lane0(const ptx::Operand& operand, ptx::Type type) {
  Value* value = nullptr;
  switch (operand.kind) {
    case OperandKind::reg: value = seen(operand, read(operand.index)); break;
    case OperandKind::special: value = special_.scalar(operand.special); break;
    case OperandKind::symbol: value = spaces_.symbol_address(operand.symbol, operand.value); break;
    default: return constant(operand, type);
  }
  value = fit(value, type);
  return operand.negated && type == ptx::Type::pred ? b_.CreateNot(value) : value;
}

llvm::Value* Registers::vector(const ptx::Operand& operand, ptx::Type type) {
  if (lanes() == 1) return lane0(operand, type);
  Value* value = nullptr;
  if (operand.kind == OperandKind::reg)
    value = seen(operand, register_vector(operand.index));
  else if (operand.kind == OperandKind::special && !is_scalar(operand))
    value = special_.vector(operand.special);
  else
    return splat(lane0(operand, type));
  value = fit(value, type);
  return operand.negated && type == ptx::Type::pred ? b_.CreateNot(value) : value;
}

void Registers::write_operand(const ptx::Operand& operand, ptx::Type type, Value* value) {
  if (operand.kind != OperandKind::reg) return;
  write(operand.index, extended(value, type, operand.index));
}

// A result narrower than its register is extended by the sign of the instruction's type.
llvm::Value* Registers::extended(Value* value, ptx::Type type, std::uint32_t reg) {
  const unsigned have = value->getType()->getScalarSizeInBits();
  const unsigned want = ptx::bit_width(function_.registers[reg].type);
  if (have >= want || !ptx::is_signed(type)) return value;
  llvm::Type* wide = llvm::IntegerType::get(kernel_.llvm, want);
  return b_.CreateSExt(value, value->getType()->isVectorTy() ? vector_of(wide) : wide);
}

llvm::AllocaInst* Registers::slot(std::uint32_t reg) {
  if (!slots_[reg])
    slots_[reg] =
        entry_alloca(carrier_of(function_.registers[reg].type, facts_.forms[reg].kind == Kind::varying && lanes() > 1),
                     function_.registers[reg].name);
  return slots_[reg];
}

llvm::Value* Registers::read(std::uint32_t reg) {
  if (!current_[reg]) {
    current_[reg] = b_.CreateLoad(slot(reg)->getAllocatedType(), slot(reg));
    touched_.push_back(reg);
  }
  return current_[reg];
}

void Registers::clear(std::uint32_t reg) {
  b_.CreateStore(llvm::Constant::getNullValue(slot(reg)->getAllocatedType()), slot(reg));
}

llvm::Value* Registers::register_vector(std::uint32_t reg) {
  if (lanes() == 1) return read(reg);
  switch (facts_.forms[reg].kind) {
    case Kind::uniform: return splat(read(reg));
    case Kind::affine:
      return facts_.assumptions(reg).empty() ? ramp(read(reg), facts_.lane_offsets(facts_.forms[reg])) : rebuilt(reg);
    case Kind::varying: break;
  }
  return read(reg);
}

// The exact value of each lane where the affine form may not hold. A value that others go back to by several ways is
// computed once.
llvm::Value* Registers::rebuilt(std::uint32_t reg) {
  const bool outermost = !std::exchange(rebuilding_, true);
  const auto known = rebuilt_.find(reg);
  Value* const value = known != rebuilt_.end() ? known->second : rebuild(reg);
  rebuilt_[reg] = value;
  if (outermost) {
    rebuilt_.clear();
    rebuilding_ = false;
  }
  return value;
}

// Computes it again from what it was computed from. FunctionFacts has made sure that those registers still hold the
// same.
llvm::Value* Registers::rebuild(std::uint32_t reg) {
  const ptx::Instruction& inst = function_.body[facts_.definition(reg)];
  const ptx::SlotList list = ptx::slots(inst);
  std::vector<Value*> operands;
  for (unsigned i = 0; i < list.size; ++i)
    if (list[i].role == ptx::Role::use)
      operands.push_back(inst.operands[i].present() ? vector(inst.operands[i], list[i].type) : nullptr);
  Value* value = nullptr;
  Value* no_carry = nullptr;
  if (inst.opcode == ptx::Opcode::mov)
    value = operands[0];
  else if (inst.opcode == ptx::Opcode::cvta)
    value = spaces_.convert(inst, operands[0]);
  else
    value = arithmetic_.emit(inst, operands, nullptr, no_carry)[0];
  return fit(extended(value, list[0].type, reg), function_.registers[reg].type);
}

// Lanes that wait elsewhere keep what the register holds for them.
bool Registers::needs_blend(std::uint32_t reg) const {
  return context_.mask && facts_.forms[reg].kind == Kind::varying &&
         facts_.live_while_waiting.test(context_.block, reg);
}

void Registers::store_register(std::uint32_t reg, Value* value) {
  if (!current_[reg]) touched_.push_back(reg);
  current_[reg] = value;
  if (facts_.live_out(context_.block, reg)) b_.CreateStore(value, slot(reg));
}

// The guard as it was before the instruction: the first of its results may be the guard itself.
llvm::Value* Registers::guard_value(bool as_vector) {
  if (!guard_value_) {
    const ptx::Guard& guard = function_.body[context_.index].guard;
    ptx::Operand predicate = ptx::Operand::make_reg(guard.reg);
    predicate.negated = guard.negated;
    guard_value_ = guarded_by_lanes(function_.body[context_.index]) ? vector(predicate, ptx::Type::pred)
                                                                    : lane0(predicate, ptx::Type::pred);
  }
  return as_vector && !guard_value_->getType()->isVectorTy() ? splat(guard_value_) : guard_value_;
}

// What a register that is no vector holds: lane 0's value, of which the first lane that runs is so far away.
llvm::Value* Registers::base_of(std::uint32_t reg, Value* value) {
  const ValueForm& form = facts_.forms[reg];
  if (form.kind == Kind::affine) {
    Value* const zero = llvm::Constant::getNullValue(value->getType()->getScalarType());
    value = b_.CreateSub(value, ramp(zero, facts_.lane_offsets(form)));
  }
  return first_active(value);
}

void Registers::write(std::uint32_t reg, Value* value) {
  value = fit(value, function_.registers[reg].type);
  const bool is_vector = lanes() > 1 && facts_.forms[reg].kind == Kind::varying;
  if (is_vector && !value->getType()->isVectorTy()) value = splat(value);
  // Some results are known to be the same in all lanes although they are found by vector operations.
  if (!is_vector && value->getType()->isVectorTy()) value = base_of(reg, value);
  if (captured_) {
    captured_->emplace_back(reg, value);
    return;
  }
  Value* keep = needs_blend(reg) ? context_.mask : nullptr;
  const ptx::Guard& guard = function_.body[context_.index].guard;
  if (guard.present && !guard_done_) {
    // A guard that differs from lane to lane and yet leaves the register uniform: whoever reads it gets this value.
    if (is_vector)
      keep = both(keep, guard_value(true));
    else if (!guarded_by_lanes(function_.body[context_.index]))
      keep = both(keep, guard_value(false));
  }
  if (keep) value = b_.CreateSelect(keep, value, read(reg));
  store_register(reg, value);
}

llvm::Value* Registers::no_wrap(std::uint32_t assumption) {
  auto*& place = no_wrap_[assumption];
  if (!place) place = entry_alloca(kernel_.abi.i1, "no_wrap");
  auto& current = current_no_wrap_[assumption];
  if (!current) current = b_.CreateLoad(kernel_.abi.i1, place);
  return current;
}

void Registers::check_no_wrap(std::uint32_t assumption) {
  const ptx::analysis::NoWrapAssumption& fact = facts_.no_wrap[assumption];
  const ptx::Operand& operand = function_.body[fact.instruction].operands[fact.operand];
  const auto offsets = facts_.lane_offsets(form_of(operand));
  const auto [lowest, highest] = std::minmax_element(offsets.begin(), offsets.end());
  auto* type = llvm::IntegerType::get(kernel_.llvm, fact.width);
  Value* base = b_.CreateZExtOrTrunc(read(operand.index), type);
  const auto far = [&](std::int64_t offset) {
    return b_.CreateAdd(base, llvm::ConstantInt::get(type, static_cast<std::uint64_t>(offset), true));
  };
  Value* holds = nullptr;
  if (*highest > 0)
    holds = fact.is_signed ? b_.CreateICmpSGE(far(*highest), base) : b_.CreateICmpUGE(far(*highest), base);
  if (*lowest < 0) {
    Value* below = fact.is_signed ? b_.CreateICmpSLE(far(*lowest), base) : b_.CreateICmpULE(far(*lowest), base);
    holds = holds ? b_.CreateAnd(holds, below) : below;
  }
  if (!holds) holds = b_.getTrue();
  no_wrap(assumption);
  b_.CreateStore(holds, no_wrap_[assumption]);
  current_no_wrap_[assumption] = holds;
}

llvm::Value* Registers::instruction_mask(const ptx::Instruction& inst) {
  if (!guarded_by_lanes(inst)) return context_.mask;
  ptx::Operand predicate = ptx::Operand::make_reg(inst.guard.reg);
  predicate.negated = inst.guard.negated;
  return both(context_.mask, vector(predicate, Type::pred));
}

llvm::Value* Registers::writing_lanes() {
  const bool guarded = function_.body[context_.index].guard.present && !guard_done_;
  return guarded ? both(context_.mask, guard_value(true)) : context_.mask;
}

void Registers::in_branch(const std::function<void()>& emit) {
  const std::size_t touched = touched_.size();
  emit();
  for (; touched_.size() > touched; touched_.pop_back()) current_[touched_.back()] = nullptr;
  std::fill(current_no_wrap_.begin(), current_no_wrap_.end(), nullptr);
}

Registers::Results Registers::captured_in_branch(const std::function<void()>& emit) {
  Results results;
  captured_ = &results;
  guard_done_ = true;
  in_branch(emit);
  captured_ = nullptr;
  return results;
}

}  // namespace heddle::device::cpu
