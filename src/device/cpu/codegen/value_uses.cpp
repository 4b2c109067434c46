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

// Whatever is there when the operation is made.
bool is_right_anyway(ptx::ReduceOp operation) {
  switch (operation) {
    case ptx::ReduceOp::min:
    case ptx::ReduceOp::max:
    case ptx::ReduceOp::and_:
    case ptx::ReduceOp::or_:
    case ptx::ReduceOp::exch:
    case ptx::ReduceOp::cas: return true;
    default: return false;
  }
}

}  // namespace

ValueUses::ValueUses(const ptx::Function& function, const ptx::analysis::ControlFlowGraph& cfg,
                     const ptx::analysis::PostDominators& post)
    : function_(function),
      cfg_(cfg),
      post_(post),
      uses_(function.registers.size()),
      definitions_(function.registers.size()) {
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    ptx::for_each_use(function.body[i], [&](std::uint32_t reg, const auto&) { uses_[reg].push_back(i); });
    ptx::for_each_def(function.body[i], [&](std::uint32_t reg, const auto&) { definitions_[reg].push_back(i); });
    if (function.body[i].opcode == Opcode::atom || function.body[i].opcode == Opcode::red) atomics_.push_back(i);
  }
}

// The variable that the address is in, where its register holds that variable's address; else the address itself.
ptx::Operand ValueUses::place_of(const ptx::Operand& address) const {
  ptx::Operand place = address;
  // Code that never runs may copy in a circle.
  for (int steps = 0; steps < 16; ++steps) {
    if (place.base != ptx::OperandKind::reg || definitions_[place.index].size() != 1) break;
    const Instruction& inst = function_.body[definitions_[place.index][0]];
    const bool copies = inst.opcode == Opcode::mov || inst.opcode == Opcode::cvta;
    if (!copies || inst.guard.present || inst.operands.size() < 2) break;
    const ptx::Operand& from = inst.operands[1];
    if (from.is_reg()) {
      place.index = from.index;
    } else if (from.kind == ptx::OperandKind::symbol) {
      place.base = ptx::OperandKind::symbol;
      place.symbol = from.symbol;
      place.value += from.value;
    } else {
      break;
    }
  }
  return place;
}

bool ValueUses::same_place(const ptx::Operand& a, const ptx::Operand& b) const {
  const ptx::Operand x = place_of(a), y = place_of(b);
  if (x.base != y.base || x.value != y.value) return false;
  if (x.base == ptx::OperandKind::reg) return x.index == y.index;
  return x.base == ptx::OperandKind::symbol && x.symbol.kind == y.symbol.kind && x.symbol.index == y.symbol.index;
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

// The register, and others that get its value as it is.
std::vector<std::uint32_t> ValueUses::copies_of(std::uint32_t reg) const {
  std::set<std::uint32_t> seen{reg};
  std::vector<std::uint32_t> copies{reg};
  for (std::size_t next = 0; next < copies.size(); ++next)
    for (const std::uint32_t use : uses_[copies[next]]) {
      if (function_.body[use].opcode != Opcode::mov) continue;
      ptx::for_each_def(function_.body[use], [&](std::uint32_t made, const auto&) {
        if (seen.insert(made).second) copies.push_back(made);
      });
    }
  return copies;
}

bool ValueUses::is_only_tested(const std::vector<std::uint32_t>& copies) const {
  return std::ranges::all_of(copies, [&](std::uint32_t reg) {
    return std::ranges::all_of(uses_[reg], [&](std::uint32_t use) {
      return function_.body[use].opcode == Opcode::setp || function_.body[use].opcode == Opcode::mov;
    });
  });
}

bool ValueUses::is_settled_by_atomic(const Instruction& load) const {
  if (load.operands.size() < 2 || !load.operands[0].is_reg()) return false;
  const std::vector<std::uint32_t> copies = copies_of(load.operands[0].index);
  const bool tested = is_only_tested(copies);
  return std::ranges::any_of(atomics_, [&](std::uint32_t number) {
    const Instruction& inst = function_.body[number];
    const bool swaps = inst.d.reduce == ptx::ReduceOp::cas && inst.operands[2].is_reg() &&
                       std::ranges::find(copies, inst.operands[2].index) != copies.end();
    if (!swaps && !(tested && is_right_anyway(inst.d.reduce))) return false;
    return same_place(inst.operands[inst.opcode == Opcode::atom ? 1 : 0], load.operands[1]);
  });
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
