#include "device/cpu/codegen/value_uses.hpp"

#include <algorithm>
#include <set>

#include "ptx/forms.hpp"
#include "ptx/type.hpp"

namespace heddle::device::cpu {

using ptx::Instruction;
using ptx::Opcode;

namespace {

// The result has the register's bits, and means no more than these.
bool moves_bits(const Instruction& inst, std::uint32_t reg) {
  if (inst.guard.present && inst.guard.reg == reg) return false;
  switch (inst.opcode) {
    case Opcode::mov:
    case Opcode::shl:
    case Opcode::shr:
    case Opcode::or_:
    case Opcode::and_:
    case Opcode::prmt:
    case Opcode::bfi:
    case Opcode::bfe: return true;
    case Opcode::cvt: return !ptx::is_float(inst.d.type) && !ptx::is_float(inst.d.type2);
    case Opcode::selp: return !inst.operands[3].is_reg() || inst.operands[3].index != reg;
    default: return false;
  }
}

bool is_arithmetic(const Instruction& inst) {
  switch (inst.opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::fma:
    case Opcode::min:
    case Opcode::max:
    case Opcode::neg:
    case Opcode::abs:
    case Opcode::xor_:
    case Opcode::cvt:
    case Opcode::setp: return true;
    default: return false;
  }
}

// The instruction may go on without the register's value: it chooses between two, or makes one truth of two.
bool may_ignore(const Instruction& inst, std::uint32_t reg) {
  if (inst.guard.present && inst.guard.reg == reg) return false;
  if (inst.opcode == Opcode::and_ || inst.opcode == Opcode::or_) return inst.d.type == ptx::Type::pred;
  return inst.opcode == Opcode::selp && moves_bits(inst, reg);
}

bool is_stored(const Instruction& inst, std::uint32_t reg) {
  if (inst.opcode != Opcode::st || inst.operands.size() < 2) return false;
  if (inst.operands[0].base == ptx::OperandKind::reg && inst.operands[0].index == reg) return false;
  return !inst.guard.present || inst.guard.reg != reg;
}

}  // namespace

ValueUses::ValueUses(const ptx::Function& function, const ptx::analysis::ControlFlowGraph& cfg,
                     const ptx::analysis::PostDominators& post)
    : function_(function), cfg_(cfg), post_(post), uses_(function.registers.size()) {
  for (std::uint32_t i = 0; i < function.body.size(); ++i)
    ptx::for_each_use(function.body[i], [&](std::uint32_t reg, const auto&) { uses_[reg].push_back(i); });
}

// Compilers compute ahead what a test chooses afterwards.
bool ValueUses::is_chosen_later(const Instruction& inst) const {
  if (!is_arithmetic(inst) || inst.guard.present) return false;
  bool chosen = true;
  ptx::for_each_def(inst, [&](std::uint32_t made, const auto&) {
    chosen = chosen && std::all_of(uses_[made].begin(), uses_[made].end(),
                                   [&](std::uint32_t use) { return may_ignore(function_.body[use], made); });
  });
  return chosen;
}

bool ValueUses::any(std::uint32_t reg) const {
  return std::any_of(uses_[reg].begin(), uses_[reg].end(),
                     [&](std::uint32_t use) { return !is_stored(function_.body[use], reg); });
}

bool ValueUses::certain(std::uint32_t load, std::uint32_t reg) const {
  std::set<std::uint32_t> seen{reg};
  std::vector<std::uint32_t> open{reg};
  while (!open.empty()) {
    const std::uint32_t value = open.back();
    open.pop_back();
    for (const std::uint32_t use : uses_[value]) {
      const Instruction& inst = function_.body[use];
      if (is_stored(inst, value)) continue;
      if (!moves_bits(inst, value) && !is_chosen_later(inst)) {
        if (post_.post_dominates(cfg_.block_of(use), cfg_.block_of(load))) return true;
        continue;
      }
      if (inst.d.type == ptx::Type::pred) continue;  // what the truth of two conditions decides is not followed
      ptx::for_each_def(inst, [&](std::uint32_t made, const auto&) {
        if (seen.insert(made).second) open.push_back(made);
      });
    }
  }
  return false;
}

}  // namespace heddle::device::cpu
