#include "ptx/forms.hpp"

#include "ptx/decode_suffixes.hpp"
#include "ptx/form_match.hpp"

namespace heddle::ptx {
namespace {

Type suffix_type(const Decoded& d, unsigned which) {
  switch (which) {
    case 0: return d.type;
    case 1: return d.type2;
    case 2: return d.type3;
    default: return d.type4;
  }
}

Type doubled(Type type) {
  switch (type) {
    case Type::u16: return Type::u32;
    case Type::s16: return Type::s32;
    case Type::u32: return Type::u64;
    case Type::s32: return Type::s64;
    default: return Type::none;
  }
}

Type bits_type(unsigned width) {
  switch (width) {
    case 8: return Type::b8;
    case 16: return Type::b16;
    case 32: return Type::b32;
    case 64: return Type::b64;
    case 128: return Type::b128;
    default: return Type::none;
  }
}

Type packed_share(Type whole, const Operand& operand) {
  if (operand.kind != OperandKind::vector || operand.elements.empty()) return whole;
  return bits_type(bit_width(whole) / static_cast<unsigned>(operand.elements.size()));
}

Type slot_type(const SlotPattern& slot, const Decoded& d, const Operand& operand) {
  switch (slot.rule) {
    case TypeRule::fixed: return slot.type;
    case TypeRule::suffix: return suffix_type(d, slot.which);
    case TypeRule::wide: return doubled(suffix_type(d, slot.which));
    case TypeRule::pack: return packed_share(suffix_type(d, slot.which), operand);
    case TypeRule::any: return Type::none;
  }
  return Type::none;
}

}  // namespace

SlotList slots(const Instruction& inst) {
  SlotList list;
  const FormRef form = form_of(inst);
  if (!form || form.form->slot_count != inst.operands.size()) return list;
  const Decoded searched = inst.form == no_form ? decode_suffixes(inst.opcode, inst.modifiers) : Decoded{};
  const Decoded& d = inst.form == no_form ? searched : inst.d;
  for (const SlotPattern& slot : form.slots()) {
    list.items[list.size] = {slot.role, slot_type(slot, d, inst.operands[list.size]), slot.optional};
    ++list.size;
  }
  return list;
}

}  // namespace heddle::ptx
