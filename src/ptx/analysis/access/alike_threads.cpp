#include "ptx/analysis/access/alike_threads.hpp"

#include <algorithm>
#include <iterator>

namespace heddle::ptx::analysis {
namespace {

using Special = SpecialRegister;

// Whose result is that of the operands, and which touch at most memory that is the thread's own to touch.
constexpr Opcode alone[] = {
    Opcode::abs,  Opcode::add,   Opcode::addc,  Opcode::and_,     Opcode::bfe,  Opcode::bfi,   Opcode::bfind,
    Opcode::bmsk, Opcode::bra,   Opcode::brev,  Opcode::call,     Opcode::clz,  Opcode::cnot,  Opcode::copysign,
    Opcode::cos,  Opcode::cvt,   Opcode::cvta,  Opcode::div,      Opcode::dp2a, Opcode::dp4a,  Opcode::ex2,
    Opcode::exit, Opcode::fma,   Opcode::ld,    Opcode::lg2,      Opcode::lop3, Opcode::mad,   Opcode::mad24,
    Opcode::madc, Opcode::max,   Opcode::min,   Opcode::mov,      Opcode::mul,  Opcode::mul24, Opcode::neg,
    Opcode::not_, Opcode::or_,   Opcode::popc,  Opcode::prefetch, Opcode::prmt, Opcode::rcp,   Opcode::rem,
    Opcode::ret,  Opcode::rsqrt, Opcode::sad,   Opcode::selp,     Opcode::set,  Opcode::setp,  Opcode::shf,
    Opcode::shl,  Opcode::shr,   Opcode::sin,   Opcode::slct,     Opcode::sqrt, Opcode::st,    Opcode::sub,
    Opcode::subc, Opcode::tanh,  Opcode::testp, Opcode::trap,     Opcode::xor_};

bool is_alone(Opcode opcode) { return std::find(std::begin(alone), std::end(alone), opcode) != std::end(alone); }

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
  return is_seen_alike(operand.special) && std::all_of(operand.elements.begin(), operand.elements.end(),
                                                       [](const Operand& o) { return is_seen_alike(o); });
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
