#include "ptx/analysis/flow/register_table.hpp"

#include <algorithm>

namespace heddle::ptx::analysis {

RegisterTable::RegisterTable(const Function& function) {
  first_.reserve(function.body.size() + 1);
  items_.reserve(function.body.size() * 3);
  for (const Instruction& inst : function.body) {
    first_.push_back(static_cast<std::uint32_t>(items_.size()));
    add_instruction(function, inst);
    items_.insert(items_.end(), definitions_.begin(), definitions_.end());
    definitions_.clear();
  }
  first_.push_back(static_cast<std::uint32_t>(items_.size()));
}

void RegisterTable::add_instruction(const Function& function, const Instruction& inst) {
  if (inst.guard.present) items_.push_back({inst.guard.reg, guard_operand, 0, false, false, false, Type::pred});
  const SlotList list = slots(inst);
  const std::size_t count = std::min<std::size_t>(inst.operands.size(), list.size);
  const auto callee =
      std::find_if(list.begin(), list.begin() + count, [](const Slot& s) { return s.role == Role::callee; });
  for (std::size_t i = 0; i < count; ++i) {
    const bool results = list[static_cast<unsigned>(i)].role == Role::list && list.begin() + i < callee;
    add_operand(inst, static_cast<std::uint16_t>(i), list[static_cast<unsigned>(i)], results);
  }
  if (inst.opcode != Opcode::ret) return;
  for (std::size_t i = 0; i < function.return_registers.size(); ++i) {
    const std::uint32_t reg = function.return_registers[i];
    if (reg >= function.registers.size()) continue;
    items_.push_back(
        {reg, return_operand, static_cast<std::uint16_t>(i), false, false, false, function.registers[reg].type});
  }
}

void RegisterTable::add_operand(const Instruction& inst, std::uint16_t number, const Slot& slot, bool results) {
  const Operand& operand = inst.operands[number];
  switch (operand.kind) {
    case OperandKind::reg: add(inst, operand.index, number, 0, slot, results); break;
    case OperandKind::address: {
      const Slot read{Role::use, slot.type, false};
      if (operand.base == OperandKind::reg) add(inst, operand.index, number, 0, read, false);
      for (std::size_t e = 0; e < operand.elements.size(); ++e) {
        const Operand& element = operand.elements[e];
        if (element.kind == OperandKind::reg) add(inst, element.index, number, e + 1, read, false);
        // Coordinates are a vector within the brackets: its registers count on from the position of the vector.
        for (std::size_t c = 0; c < element.elements.size(); ++c)
          if (element.elements[c].kind == OperandKind::reg)
            add(inst, element.elements[c].index, number, e + 1 + c, read, false);
      }
      break;
    }
    case OperandKind::vector:
      for (std::size_t e = 0; e < operand.elements.size(); ++e)
        if (operand.elements[e].kind == OperandKind::reg)
          add(inst, operand.elements[e].index, number, e, slot, results);
      break;
    default: break;
  }
}

void RegisterTable::add(const Instruction& inst, std::uint32_t reg, std::uint16_t operand, std::size_t element,
                        const Slot& slot, bool results) {
  RegisterOccurrence item{reg, operand, static_cast<std::uint16_t>(element), false, false, false, slot.type};
  const bool writes = slot.role == Role::def || slot.role == Role::def_use || results;
  if (!writes || slot.role == Role::def_use) items_.push_back(item);
  if (!writes) return;
  item.is_def = true;
  item.guarded = inst.guard.present;
  item.tied = slot.role == Role::def_use;
  definitions_.push_back(item);
}

}  // namespace heddle::ptx::analysis
