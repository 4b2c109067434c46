#include "device/machine/operation.hpp"

#include <algorithm>
#include <string_view>

#include "device/texture_use.hpp"
#include "ptx/matrix.hpp"
#include "ptx/semantics/evaluate.hpp"

namespace heddle::device::machine {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;
using ptx::OperandKind;

namespace {

Involves involves(const Instruction& inst) {
  switch (inst.opcode) {
    case Opcode::activemask: return Involves::gathering;
    case Opcode::shfl:
    case Opcode::vote: return inst.has(Modifier::sync) ? Involves::meeting : Involves::gathering;
    case Opcode::match:
    case Opcode::redux:
    case Opcode::elect: return Involves::meeting;
    case Opcode::mma:
    case Opcode::wmma: return ptx::matrix_product(inst) ? Involves::meeting : Involves::none;
    case Opcode::bar: return inst.has(Modifier::warp) ? Involves::meeting : Involves::barrier;
    case Opcode::barrier: return inst.has(Modifier::cluster) ? Involves::none : Involves::barrier;
    default: return Involves::none;
  }
}

// cp.async completes at once, so groups and waits have nothing to do.
Action action_of_copy(const Instruction& inst) {
  const auto says = [&](std::string_view text) {
    return std::any_of(inst.modifiers.begin(), inst.modifiers.end(), [&](Modifier m) { return ptx::name(m) == text; });
  };
  if (!says("async") || says("bulk") || says("tensor")) return Action::refuse;
  // The copies before it are done: without .noinc, an arrival of which the barrier takes notice beforehand.
  if (says("mbarrier")) return inst.has(Modifier::noinc) ? Action::update_mbarrier : Action::check_mbarrier;
  if (says("commit_group") || says("wait_group") || says("wait_all")) return Action::nothing;
  return Action::copy_async;
}

Action action_of_memory(const Instruction& inst) {
  switch (inst.opcode) {
    case Opcode::ld:
    case Opcode::ldu: return Action::load;
    case Opcode::st:
      return inst.has(Modifier::proxy_async) || inst.has(Modifier::bulk) ? Action::refuse : Action::store;
    case Opcode::atom: return inst.has(Modifier::proxy_async) ? Action::refuse : Action::atomic;
    case Opcode::red: return inst.has(Modifier::proxy_async) ? Action::refuse : Action::reduction;
    case Opcode::cp: return action_of_copy(inst);
    default: return inst.has(Modifier::pending_count) ? Action::mbarrier_count : Action::update_mbarrier;
  }
}

Action action(const Instruction& inst) {
  switch (inst.opcode) {
    case Opcode::mov: return Action::move;
    case Opcode::cvta: return Action::convert_address;
    case Opcode::isspacep: return Action::is_space;
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::st:
    case Opcode::atom:
    case Opcode::red:
    case Opcode::cp:
    case Opcode::mbarrier: return action_of_memory(inst);
    case Opcode::bra: return Action::branch;
    case Opcode::brx: return Action::indexed_branch;
    case Opcode::call: return Action::call;
    case Opcode::ret: return Action::leave;
    case Opcode::exit: return Action::exit;
    case Opcode::trap: return Action::trap;
    case Opcode::nanosleep: return Action::yield;
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::prefetch:
    case Opcode::prefetchu:
    case Opcode::discard:
    case Opcode::applypriority:
    case Opcode::pmevent:
    case Opcode::brkpt:
    case Opcode::setmaxnreg:
    case Opcode::griddepcontrol: return Action::nothing;
    case Opcode::createpolicy:
    case Opcode::getctarank: return Action::write_zero;
    case Opcode::mapa: return Action::copy_operand;
    case Opcode::alloca: return Action::allocate_stack;
    case Opcode::stacksave: return Action::save_stack;
    case Opcode::stackrestore: return Action::restore_stack;
    case Opcode::shfl: return Action::shuffle;
    case Opcode::vote:
    case Opcode::activemask: return Action::vote;
    case Opcode::match: return Action::match;
    case Opcode::redux: return Action::reduce;
    case Opcode::elect: return Action::elect;
    case Opcode::mma:
    case Opcode::wmma: return ptx::matrix_product(inst) ? Action::multiply : Action::refuse;
    case Opcode::bar: return inst.has(Modifier::warp) ? Action::meet : Action::barrier;
    // barrier.cluster in a cluster of one
    case Opcode::barrier: return inst.has(Modifier::cluster) ? Action::nothing : Action::barrier;
    default: break;
  }
  if (uses_textures(inst.opcode)) return texture_use(inst).refusal ? Action::refuse : Action::texture;
  return ptx::semantics::evaluates(inst.opcode) ? Action::evaluate : Action::refuse;
}

// The operand that says how many elements a lane accesses: what is loaded, stored or combined.
unsigned data_operand(Action action) { return action == Action::load ? 0 : action == Action::atomic ? 2 : 1; }

void decode_access(Operation& operation) {
  const Instruction& inst = *operation.instruction;
  const unsigned bytes = ptx::byte_size(inst.d.type);
  const ptx::Operand& data = inst.operands[data_operand(operation.action)];
  // A vector of 16-byte atomics is one element in two parts.
  const bool combines = operation.action == Action::atomic || operation.action == Action::reduction;
  const bool vector = data.kind == OperandKind::vector && !(combines && bytes > 8);
  if (vector && data.elements.size() > Operation::most_elements) operation.action = Action::refuse;
  operation.element_bytes = static_cast<std::uint8_t>(bytes);
  operation.elements = static_cast<std::uint8_t>(vector ? data.elements.size() : 1);
  operation.space = inst.opcode == Opcode::ldu ? ptx::Space::global : inst.d.space;
}

}  // namespace

Operation decode(const Instruction& instruction) {
  Operation operation;
  operation.instruction = &instruction;
  operation.action = action(instruction);
  operation.involves = involves(instruction);
  operation.slots = ptx::slots(instruction);
  switch (operation.action) {
    case Action::load:
    case Action::store:
    case Action::atomic:
    case Action::reduction: decode_access(operation); break;
    default: break;
  }
  return operation;
}

}  // namespace heddle::device::machine
