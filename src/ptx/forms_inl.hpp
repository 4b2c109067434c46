// The templates of forms.hpp.
#pragma once

namespace heddle::ptx {
namespace detail {

// Registers of one operand: itself, the base of an address, the elements of a vector or coordinate list.
template <class F>
void for_each_register(const Operand& operand, const Slot& slot, F&& f) {
  if (operand.kind == OperandKind::reg || (operand.kind == OperandKind::address && operand.base == OperandKind::reg))
    f(operand.index, slot);
  for (const Operand& element : operand.elements) for_each_register(element, slot, f);
}

// Results of a call are the list in front of the callee.
inline bool is_written(const Slot& slot, unsigned position) {
  return slot.role == Role::def || slot.role == Role::def_use || (slot.role == Role::list && position == 0);
}
inline bool is_read(const Slot& slot, unsigned position) {
  return slot.role != Role::def && !(slot.role == Role::list && position == 0);
}

}  // namespace detail

template <class F>
void for_each_def(const Instruction& inst, F&& f) {
  const SlotList list = slots(inst);
  for (unsigned i = 0; i < list.size; ++i)
    if (detail::is_written(list[i], i)) detail::for_each_register(inst.operands[i], list[i], f);
}

template <class F>
void for_each_use(const Instruction& inst, F&& f) {
  if (inst.guard.present) f(inst.guard.reg, Slot{Role::use, Type::pred, false});
  const SlotList list = slots(inst);
  for (unsigned i = 0; i < list.size; ++i)
    if (detail::is_read(list[i], i)) detail::for_each_register(inst.operands[i], list[i], f);
}

}  // namespace heddle::ptx
