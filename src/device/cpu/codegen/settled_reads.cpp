#include "device/cpu/codegen/settled_reads.hpp"

#include <algorithm>

#include "ptx/forms.hpp"
#include "ptx/type.hpp"

namespace heddle::device::cpu {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;

namespace {

// The result has bits of the operands, and no others.
bool moves_bits(const Instruction& inst) {
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
    default: return false;
  }
}

// The result depends on the operands alone, and nothing else happens.
bool computes(const Instruction& inst) {
  if (moves_bits(inst)) return true;
  switch (inst.opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::fma:
    case Opcode::div:
    case Opcode::rem:
    case Opcode::min:
    case Opcode::max:
    case Opcode::neg:
    case Opcode::abs:
    case Opcode::not_:
    case Opcode::xor_:
    case Opcode::lop3:
    case Opcode::selp:
    case Opcode::cvt: return true;
    default: return false;
  }
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

SettledReads::SettledReads(const ptx::Function& function)
    : function_(function), uses_(function.registers.size()), definitions_(function.registers.size()) {
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    ptx::for_each_use(function.body[i], [&](std::uint32_t reg, const auto&) { uses_[reg].push_back(i); });
    ptx::for_each_def(function.body[i], [&](std::uint32_t reg, const auto&) { definitions_[reg].push_back(i); });
    if (function.body[i].opcode == Opcode::atom || function.body[i].opcode == Opcode::red) atomics_.push_back(i);
  }
}

// Follows copies of addresses, and constants that are added to them.
SettledReads::Place SettledReads::place_of(const Operand& address) const {
  Place place{address.base, address.index, address.symbol, address.value};
  constexpr int most_steps = 16;  // code that never runs may copy in a circle
  for (int steps = 0; steps < most_steps; ++steps) {
    if (place.base != OperandKind::reg || definitions_[place.index].size() != 1) break;
    const Instruction& inst = function_.body[definitions_[place.index][0]];
    if (inst.guard.present || inst.operands.size() < 2) break;
    const Operand& from = inst.operands[1];
    const bool copies = inst.opcode == Opcode::mov || inst.opcode == Opcode::cvta;
    const bool adds = inst.opcode == Opcode::add && from.is_reg() && inst.operands[2].kind == OperandKind::integer;
    if (adds) place.offset += inst.operands[2].value;
    if ((adds || copies) && from.is_reg()) {
      place.index = from.index;
    } else if (copies && from.kind == OperandKind::symbol) {
      place = {OperandKind::symbol, 0, from.symbol, place.offset + from.value};
    } else {
      break;
    }
  }
  return place;
}

namespace {

bool same_symbol(const ptx::SymbolRef& a, const ptx::SymbolRef& b) { return a.kind == b.kind && a.index == b.index; }

const Operand& address_of(const Instruction& atomic) { return atomic.operands[atomic.opcode == Opcode::atom ? 1 : 0]; }

}  // namespace

// The variable that an address is in, or the parameter that points to the array, through sums and products.
bool SettledReads::has_root(std::uint32_t reg, Root& root, int steps) const {
  if (steps == 0 || definitions_[reg].size() != 1) return false;
  const Instruction& inst = function_.body[definitions_[reg][0]];
  const auto from = [&](std::size_t operand) {
    const Operand& source = inst.operands[operand];
    if (source.kind == OperandKind::symbol) root = {OperandKind::symbol, source.symbol, 0};
    return source.kind == OperandKind::symbol || (source.is_reg() && has_root(source.index, root, steps - 1));
  };
  switch (inst.opcode) {
    case Opcode::mov:
    case Opcode::cvta: return from(1);
    case Opcode::add: return from(1) || from(2);
    case Opcode::mad: return from(3);
    case Opcode::ld:
      if (inst.d.space != ptx::Space::param || inst.operands[1].base != OperandKind::symbol) return false;
      root = {OperandKind::symbol, inst.operands[1].symbol, inst.operands[1].value};
      return ptx::byte_size(inst.d.type) == sizeof(std::uint64_t);
    default: return false;
  }
}

SettledReads::Root SettledReads::root_of(const Operand& address) const {
  constexpr int most_steps = 16;
  Root root;
  if (address.base == OperandKind::symbol) return {OperandKind::symbol, address.symbol, 0};
  if (address.base == OperandKind::reg && !has_root(address.index, root, most_steps)) return {};
  return root;
}

bool SettledReads::is_in_array_of(const Instruction& load, const Instruction& atomic) const {
  const Root x = root_of(load.operands[1]), y = root_of(address_of(atomic));
  return x.kind == OperandKind::symbol && y.kind == x.kind && same_symbol(x.symbol, y.symbol) && x.offset == y.offset;
}

bool SettledReads::is_within(const Instruction& load, const Instruction& atomic) const {
  const Place x = place_of(load.operands[1]), y = place_of(address_of(atomic));
  if (x.base != y.base) return false;
  const bool same = x.base == OperandKind::reg ? x.index == y.index
                                               : x.base == OperandKind::symbol && same_symbol(x.symbol, y.symbol);
  const auto bytes = [](const Instruction& inst) {
    return std::int64_t{ptx::byte_size(inst.d.type)} * std::max(1, int{inst.d.vector});
  };
  return same && x.offset >= y.offset && x.offset + bytes(load) <= y.offset + bytes(atomic);
}

// The registers that get something of what is loaded, by instructions that are followed.
template <class Follows>
std::set<std::uint32_t> SettledReads::reached(const Instruction& load, const Follows& follows) const {
  std::set<std::uint32_t> seen;
  std::vector<std::uint32_t> open;
  const auto add = [&](std::uint32_t reg, const auto&) {
    if (seen.insert(reg).second) open.push_back(reg);
  };
  ptx::for_each_def(load, add);
  while (!open.empty()) {
    const std::uint32_t reg = open.back();
    open.pop_back();
    for (const std::uint32_t use : uses_[reg])
      if (follows(function_.body[use])) ptx::for_each_def(function_.body[use], add);
  }
  return seen;
}

bool SettledReads::is_only_compared(const Instruction& load) const {
  return std::ranges::all_of(reached(load, computes), [&](std::uint32_t reg) {
    return std::ranges::all_of(uses_[reg], [&](std::uint32_t use) {
      return computes(function_.body[use]) || function_.body[use].opcode == Opcode::setp;
    });
  });
}

bool SettledReads::contains(const Instruction& load) const {
  if (atomics_.empty() || load.operands.size() < 2) return false;
  const std::set<std::uint32_t> bits = reached(load, moves_bits);
  const bool compared = is_only_compared(load);
  bool right_in_array = false, wrong_in_array = false;
  for (const std::uint32_t number : atomics_) {
    const Instruction& inst = function_.body[number];
    const bool right = is_right_anyway(inst.d.reduce);
    const bool expects =
        inst.d.reduce == ptx::ReduceOp::cas && inst.operands[2].is_reg() && bits.contains(inst.operands[2].index);
    if ((expects || (compared && right)) && is_within(load, inst)) return true;
    if (compared && is_in_array_of(load, inst)) (right ? right_in_array : wrong_in_array) = true;
  }
  return right_in_array && !wrong_in_array;
}

}  // namespace heddle::device::cpu
