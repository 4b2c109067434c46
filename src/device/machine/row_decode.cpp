#include "device/machine/row_decode.hpp"

#include <span>

#include "device/machine/row_loops.hpp"

namespace heddle::device::machine {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

unsigned width_of(const Function& function, std::uint32_t reg) { return ptx::bit_width(function.registers[reg].type); }

// Sets what is written. False: another place than a register.
bool set_target(RowOp& row, const Function& function, const Operand& operand, Type type, bool exact) {
  if (!operand.is_reg() || ptx::bit_width(type) > 64) return false;
  row.target = operand.index;
  row.finish = row_finish(type, width_of(function, operand.index), exact);
  return true;
}

// The sources of an instruction with one result, which is its first operand.
bool set_sources(RowOp& row, const Operation& operation) {
  const Instruction& inst = *operation.instruction;
  unsigned count = 0;
  for (unsigned i = 1; i < operation.slots.size; ++i) {
    const ptx::Slot& slot = operation.slots[i];
    const Operand& operand = inst.operands[i];
    if (!operand.present()) continue;
    if (slot.role != ptx::Role::use || count == RowOp::most_sources || ptx::bit_width(slot.type) > 64) return false;
    row.sources[count] = row_source(operand, slot.type, i);
    if (row.sources[count++].kind == RowSource::Kind::none) return false;
  }
  return count != 0;
}

RowOp compute(const Operation& operation, const Function& function) {
  const Instruction& inst = *operation.instruction;
  RowOp row;
  if (operation.slots.size == 0 || operation.slots[0].role != ptx::Role::def) return {};
  row.function = integer_row(inst);
  if (!row.function) row.function = compare_row(inst);
  const bool converts = !row.function && inst.opcode == Opcode::cvt;
  if (!row.function) row.function = convert_row(inst);
  if (!row.function) {
    row.function = float_row(inst);
    row.host_floats = true;
  }
  row.host_floats |= converts;
  if (!row.function || !set_sources(row, operation)) return {};
  // The least or largest of three is computed lane by lane.
  const bool extreme = inst.opcode == Opcode::min || inst.opcode == Opcode::max;
  if (extreme && row.sources[2].kind != RowSource::Kind::none) return {};
  const bool exact = !converts && inst.opcode != Opcode::selp;
  if (!set_target(row, function, inst.operands[0], operation.slots[0].type, exact)) return {};
  if (inst.opcode == Opcode::setp) {
    if (operation.slots[1].role != ptx::Role::use && inst.operands[1].present()) return {};
    if (row.sources[2].kind != RowSource::Kind::none) row.then = combine_row(inst.d.bool_op);
  }
  row.kind = RowKind::compute;
  return row;
}

RowOp copy(const Operation& operation, const Function& function, Type type) {
  RowOp row;
  const Operand& source = operation.instruction->operands[1];
  const Type given = operation.slots[1].type;
  row.function = copy_row();
  row.sources[0] = row_source(source, given == Type::none ? type : given, 1);
  if (row.sources[0].kind == RowSource::Kind::none) return {};
  if (!set_target(row, function, operation.instruction->operands[0], type, false)) return {};
  row.kind = RowKind::compute;
  return row;
}

// Into the generic space and out of it; where it begins does not depend on the block or the thread.
RowOp convert_address(const Operation& operation, const Function& function) {
  const Space space = operation.instruction->d.space;
  const bool at_zero =
      space == Space::global || space == Space::constant || (space == Space::param && function.is_entry);
  return at_zero ? copy(operation, function, operation.slots[0].type) : RowOp{};
}

bool set_address(RowOp& row, const Operand& operand, const Function& function) {
  row.offset = static_cast<std::uint64_t>(operand.value);
  if (operand.base != OperandKind::reg) return true;
  const unsigned width = width_of(function, operand.index);
  row.base.kind = RowSource::Kind::reg;
  row.base.reg = operand.index;
  if (width == 32) row.address_mask = 0xffffffff;
  return true;
}

bool is_power_of_two(unsigned value) { return value != 0 && (value & (value - 1)) == 0; }

RowOp access(const Operation& operation, const Function& function) {
  const Instruction& inst = *operation.instruction;
  const bool loads = operation.action == Action::load;
  const Operand &data = inst.operands[loads ? 0 : 1], &address = inst.operands[loads ? 1 : 0];
  if (operation.element_bytes > 8 || !is_power_of_two(operation.element_bytes * operation.elements)) return {};
  RowOp row;
  if (address.kind != OperandKind::address || !set_address(row, address, function)) return {};
  const std::span<const Operand> elements =
      data.kind == OperandKind::vector ? std::span<const Operand>(data.elements) : std::span(&data, 1);
  unsigned width = 0;
  for (const Operand& element : elements) {
    if (loads && element.kind == OperandKind::sink) continue;
    if (loads && !element.is_reg()) return {};
    if (!loads && !element.is_reg() && element.kind != OperandKind::integer && element.kind != OperandKind::real)
      return {};
    if (!element.is_reg()) continue;
    if (loads && width != 0 && width != width_of(function, element.index)) return {};
    width = width_of(function, element.index);
  }
  if (loads && width != 0) row.finish = row_finish(inst.d.type, width, true);
  row.kind = loads ? RowKind::load : RowKind::store;
  return row;
}

}  // namespace

RowOp row_op(const Operation& operation, const Function& function) {
  if (operation.involves != Involves::none) return {};
  const Instruction& inst = *operation.instruction;
  switch (operation.action) {
    case Action::evaluate: return compute(operation, function);
    case Action::move: return copy(operation, function, inst.d.type);
    case Action::convert_address: return convert_address(operation, function);
    case Action::load:
    case Action::store: return access(operation, function);
    case Action::nothing: return {.kind = RowKind::nothing};
    case Action::branch: return {.kind = RowKind::branch};
    default: return {};
  }
}

}  // namespace heddle::device::machine
