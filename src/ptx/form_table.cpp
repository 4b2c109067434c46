#include "ptx/form_table.hpp"

namespace heddle::ptx {

extern const FormFamily arithmetic_forms, logic_forms, convert_forms, memory_forms, control_forms, async_forms,
    matrix_forms, texture_forms, video_forms;

namespace {

constexpr std::array<const FormFamily*, 9> families = {&arithmetic_forms, &logic_forms,   &convert_forms,
                                                       &memory_forms,     &control_forms, &async_forms,
                                                       &matrix_forms,     &texture_forms, &video_forms};

// A form's id is the number of its family and its number there.
constexpr unsigned family_shift = 10;
constexpr FormId make_id(unsigned family, unsigned form) { return static_cast<FormId>(family << family_shift | form); }

using Index = std::array<FormRange, static_cast<unsigned>(Opcode::count_)>;

Index build_index() {
  Index index;
  for (unsigned f = 0; f < families.size(); ++f) {
    const std::span<const Form> forms = families[f]->forms;
    for (unsigned begin = 0, end = 0; begin < forms.size(); begin = end) {
      while (end < forms.size() && forms[end].opcode == forms[begin].opcode) ++end;
      index[static_cast<unsigned>(forms[begin].opcode)] = {families[f], forms.subspan(begin, end - begin),
                                                           make_id(f, begin)};
    }
  }
  return index;
}

}  // namespace

std::span<const FormFamily* const> form_families() { return families; }

FormRange forms_of(Opcode opcode) {
  static const Index index = build_index();
  return opcode < Opcode::count_ ? index[static_cast<unsigned>(opcode)] : FormRange{};
}

FormRef form_of(FormId id) {
  const unsigned number = id >> family_shift, place = id & ((1u << family_shift) - 1);
  if (number >= families.size() || place >= families[number]->forms.size()) return {};
  return {families[number], &families[number]->forms[place]};
}

std::string_view slot_name(const Form& form, const SlotPattern& slot) {
  return form.operands.substr(slot.name_begin, slot.name_size);
}

namespace {

std::string describe_element(const FormFamily& family, const Element& element, std::size_t most) {
  const std::span<const Modifier> alternatives = family.alternatives_of(element);
  const std::size_t n = alternatives.size();
  std::string text;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) text += '|';
    if (n > most && i == 2) {
      text += "...|";
      i = n - 1;
    }
    text += "." + std::string(name(alternatives[i]));
  }
  if (n > 1) text = "(" + text + ")";
  return element.optional ? "{" + text + "}" : text;
}

std::string describe_slot(const Form& form, const SlotPattern& slot, bool first) {
  std::string text = first ? "" : slot.joined ? "|" : ", ";
  if (slot.negatable) text += "{!}";
  std::string operand(slot_name(form, slot));
  if (slot.role == Role::address) operand = "[" + operand + "]";
  if (slot.role == Role::list) operand = "(" + operand + ")";
  text += operand;
  return slot.optional ? "{" + text + "}" : text;
}

}  // namespace

std::string describe(const FormFamily& family, const Form& form, std::size_t most) {
  std::string text(name(form.opcode));
  for (const Element& element : family.elements_of(form)) text += describe_element(family, element, most);
  bool first = true;
  for (const SlotPattern& slot : family.slots_of(form)) {
    if (first) text += ' ';
    text += describe_slot(form, slot, first);
    first = false;
  }
  return text;
}

}  // namespace heddle::ptx
