#include "ptx/analysis/alike_threads.hpp"

#include <algorithm>

namespace heddle::ptx::analysis {
namespace {

using Special = SpecialRegister;

// Whose result is that of the operands, and which touch at most memory that is the thread's own to touch.
bool is_alone(Opcode opcode) {
  switch (opcode) {
    case Opcode::abs:
    case Opcode::add:
    case Opcode::addc:
    case Opcode::and_:
    case Opcode::bfe:
    case Opcode::bfi:
    case Opcode::bfind:
    case Opcode::bmsk:
    case Opcode::bra:
    case Opcode::brev:
    case Opcode::call:
    case Opcode::clz:
    case Opcode::cnot:
    case Opcode::copysign:
    case Opcode::cos:
    case Opcode::cvt:
    case Opcode::cvta:
    case Opcode::div:
    case Opcode::dp2a:
    case Opcode::dp4a:
    case Opcode::ex2:
    case Opcode::exit:
    case Opcode::fma:
    case Opcode::ld:
    case Opcode::lg2:
    case Opcode::lop3:
    case Opcode::mad:
    case Opcode::mad24:
    case Opcode::madc:
    case Opcode::max:
    case Opcode::min:
    case Opcode::mov:
    case Opcode::mul:
    case Opcode::mul24:
    case Opcode::neg:
    case Opcode::not_:
    case Opcode::or_:
    case Opcode::popc:
    case Opcode::prefetch:
    case Opcode::prmt:
    case Opcode::rcp:
    case Opcode::rem:
    case Opcode::ret:
    case Opcode::rsqrt:
    case Opcode::sad:
    case Opcode::selp:
    case Opcode::set:
    case Opcode::setp:
    case Opcode::shf:
    case Opcode::shl:
    case Opcode::shr:
    case Opcode::sin:
    case Opcode::slct:
    case Opcode::sqrt:
    case Opcode::st:
    case Opcode::sub:
    case Opcode::subc:
    case Opcode::tanh:
    case Opcode::testp:
    case Opcode::trap:
    case Opcode::xor_: return true;
    default: return false;
  }
}

bool is_seen_alike(Special special) {
  switch (special) {
    case Special::none:
    case Special::tid_x:
    case Special::ntid_x:
    case Special::ctaid_x:
    case Special::ctaid_y:
    case Special::ctaid_z:
    case Special::nctaid_x:
    case Special::nctaid_y:
    case Special::nctaid_z: return true;
    default: return false;
  }
}

bool is_seen_alike(const Operand& operand) {
  return is_seen_alike(operand.special) &&
         std::all_of(operand.elements.begin(), operand.elements.end(), [](const Operand& o) { return is_seen_alike(o); });
}

bool is_alone(const Module& module, const Instruction& inst) {
  if (!is_alone(inst.opcode) || inst.d.order != Order::weak || inst.d.space == Space::shared) return false;
  if (!std::all_of(inst.operands.begin(), inst.operands.end(), [](const Operand& o) { return is_seen_alike(o); }))
    return false;
  if (inst.opcode != Opcode::call) return true;
  // Of a function that is there: others print, allocate, or are not known.
  return std::any_of(inst.operands.begin(), inst.operands.end(), [&](const Operand& operand) {
    return operand.kind == OperandKind::symbol && operand.symbol.kind == SymbolRef::Kind::function &&
           !module.functions[operand.symbol.index].is_declaration;
  });
}

}  // namespace

bool rows_are_alike(const Module& module) {
  const auto is_shared = [](const Variable& variable) { return variable.space == Space::shared; };
  if (std::any_of(module.variables.begin(), module.variables.end(), is_shared)) return false;
  return std::all_of(module.functions.begin(), module.functions.end(), [&](const Function& function) {
    return std::none_of(function.variables.begin(), function.variables.end(), is_shared) &&
           std::all_of(function.body.begin(), function.body.end(),
                       [&](const Instruction& inst) { return is_alone(module, inst); });
  });
}

}  // namespace heddle::ptx::analysis
