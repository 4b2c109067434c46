#include "device/cpu/codegen/nan_bits.hpp"

#include <bit>
#include <cmath>

#include "ptx/forms.hpp"

namespace heddle::device::cpu {

using ptx::Instruction;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Type;

namespace {

bool is_copy(const Instruction& inst) {
  const bool to_itself = inst.opcode == Opcode::cvt && inst.d.type == Type::f32 && inst.d.type2 == Type::f32;
  if (to_itself) return inst.d.rounding == ptx::Rounding::none && !inst.d.ftz && !inst.d.sat;
  if (inst.opcode != Opcode::mov && inst.opcode != Opcode::selp) return false;
  if (ptx::bit_width(inst.d.type) != 32) return false;
  for (const ptx::Operand& operand : inst.operands)
    if (operand.kind == OperandKind::vector) return false;
  return true;
}

bool is_f32_arithmetic(const Instruction& inst) {
  switch (inst.opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::fma:
    case Opcode::div:
    case Opcode::rcp:
    case Opcode::sqrt:
    case Opcode::rsqrt:
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::ex2:
    case Opcode::lg2:
    case Opcode::tanh:
    case Opcode::min:
    case Opcode::max:
    case Opcode::abs:
    case Opcode::neg: return inst.d.type == Type::f32;
    default: return false;
  }
}

// Conversions that read f32 and give the same for every NaN.
bool is_blind_conversion(const Instruction& inst) {
  return inst.opcode == Opcode::cvt && inst.d.type2 == Type::f32 && inst.d.type != Type::f64 &&
         inst.d.type != Type::tf32;
}

bool is_blind(const Instruction& inst) {
  if (inst.has(ptx::Modifier::xorsign)) return false;  // the sign of a NaN counts
  if (is_f32_arithmetic(inst) || is_blind_conversion(inst)) return true;
  switch (inst.opcode) {
    case Opcode::setp:
    case Opcode::set: return inst.d.type2 == Type::f32 || (inst.opcode == Opcode::setp && inst.d.type == Type::f32);
    case Opcode::testp: return true;
    default: return false;
  }
}

enum class Gives : std::uint8_t { exact, raw, number, copy };

bool is_number(const ptx::Operand& operand) {
  if (operand.kind == OperandKind::real) {
    const auto bits = static_cast<std::uint64_t>(operand.value);
    return operand.real_type == Type::f32 ? !std::isnan(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                                          : !std::isnan(std::bit_cast<double>(bits));
  }
  return false;
}

Gives result_of(const Instruction& inst) {
  if (is_f32_arithmetic(inst)) return Gives::raw;
  if (is_copy(inst) && inst.opcode == Opcode::cvt) return Gives::copy;
  if (inst.opcode == Opcode::cvt && inst.d.type == Type::f32) {
    if (inst.d.type2 == Type::f32 || inst.d.type2 == Type::f16) return Gives::raw;
    return ptx::is_float(inst.d.type2) ? Gives::exact : Gives::number;
  }
  if (inst.opcode == Opcode::mov && is_number(inst.operands[1])) return Gives::number;
  return is_copy(inst) ? Gives::copy : Gives::exact;
}

}  // namespace

NanBits::NanBits(const ptx::Function& function, const ptx::analysis::ControlFlowGraph& cfg) {
  const std::size_t registers = function.registers.size(), instructions = function.body.size();
  state_.assign(registers, State::exact);
  looks_.assign(instructions, true);
  settle_.assign(instructions, false);
  for (std::uint32_t i = 0; i < instructions; ++i) looks_[i] = !is_blind(function.body[i]);
  classify(function, cfg);
  for (std::uint32_t i = 0; i < instructions; ++i) {
    const Instruction& inst = function.body[i];
    if (is_copy(inst) && inst.operands[0].is_reg()) looks_[i] = !raw(inst.operands[0].index);
  }
}

// A register is raw when arithmetic alone gives it values, in part through copies. One that also gets values whose bits
// must stay is mixed: arithmetic results are made canonical as they are written to it. In a loop that would cost in
// every turn, so there the register counts as raw; a NaN that goes round such a loop untouched loses its payload.
void NanBits::classify(const ptx::Function& function, const ptx::analysis::ControlFlowGraph& cfg) {
  std::vector<bool> gets_raw(state_.size(), false), gets_exact(state_.size(), false), in_loop(state_.size(), false);
  const auto arithmetic = [&](bool first_round) {
    bool changed = false;
    const auto set = [&](std::vector<bool>& set_of, std::uint32_t reg) {
      if (!set_of[reg]) set_of[reg] = changed = true;
    };
    for (std::uint32_t i = 0; i < function.body.size(); ++i) {
      const Instruction& inst = function.body[i];
      const Gives gives = result_of(inst);
      if (gives == Gives::copy && inst.operands[0].is_reg()) {
        const std::uint32_t to = inst.operands[0].index;
        for (std::size_t source : {1u, 2u}) {
          if (source >= inst.operands.size() || (source == 2 && inst.opcode != Opcode::selp)) continue;
          const ptx::Operand& from = inst.operands[source];
          if (!from.is_reg()) {
            if (!is_number(from)) set(gets_exact, to);
            continue;
          }
          if (gets_raw[from.index]) set(gets_raw, to);
          if (gets_exact[from.index]) set(gets_exact, to);
        }
      } else if (first_round) {
        ptx::for_each_def(inst, [&](std::uint32_t reg, const ptx::Slot&) {
          if (gives == Gives::raw) {
            set(gets_raw, reg);
            if (cfg.loop_of(cfg.block_of(i)) != ptx::analysis::no_node) in_loop[reg] = true;
          } else if (gives == Gives::exact) {
            set(gets_exact, reg);
          }
        });
      }
    }
    return changed;
  };
  for (bool first = true; arithmetic(first); first = false) {
  }
  for (std::size_t reg = 0; reg < state_.size(); ++reg) {
    if (gets_raw[reg]) state_[reg] = gets_exact[reg] && !in_loop[reg] ? State::mixed : State::raw;
  }
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    const Instruction& inst = function.body[i];
    if (result_of(inst) != Gives::raw) continue;
    ptx::for_each_def(inst, [&](std::uint32_t reg, const ptx::Slot&) {
      if (state_[reg] == State::mixed) settle_[i] = true;
    });
  }
}

}  // namespace heddle::device::cpu
