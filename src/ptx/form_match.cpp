#include "ptx/form_match.hpp"

#include <algorithm>

#include "ptx/decode_suffixes.hpp"

namespace heddle::ptx {
namespace {

std::uint64_t mask_of(const ModifierList& modifiers) {
  std::uint64_t mask = 0;
  for (Modifier m : modifiers) mask |= std::uint64_t{1} << (static_cast<unsigned>(m) % 64);
  return mask;
}

bool is_one_of(Modifier modifier, std::span<const Modifier> alternatives) {
  return std::find(alternatives.begin(), alternatives.end(), modifier) != alternatives.end();
}

bool fit_in_order(const FormFamily& family, const Form& form, const ModifierList& modifiers) {
  unsigned at = 0;
  for (const Element& element : family.elements_of(form)) {
    if (at < modifiers.size() && is_one_of(modifiers[at], family.alternatives_of(element)))
      ++at;
    else if (!element.optional)
      return false;
  }
  return at == modifiers.size();
}

// Each position takes the first suffix not yet taken that may stand there; types are taken from left to right only.
bool fit_in_any_order(const FormFamily& family, const Form& form, const ModifierList& modifiers) {
  unsigned taken = 0, next_type = 0;
  for (const Element& element : family.elements_of(form)) {
    bool found = false;
    for (unsigned i = element.is_type ? next_type : 0; i < modifiers.size() && !found; ++i) {
      if (taken & (1u << i)) continue;
      found = is_one_of(modifiers[i], family.alternatives_of(element));
      if (!found) continue;
      taken |= 1u << i;
      if (element.is_type) next_type = i + 1;
    }
    if (!found && !element.optional) return false;
  }
  return taken == (1u << modifiers.size()) - 1;
}

bool is_constant(const Operand& operand) {
  return operand.kind == OperandKind::integer || operand.kind == OperandKind::real;
}

bool vector_fits(const SlotPattern& slot, const Operand& operand, unsigned vector) {
  const bool is_vector = operand.kind == OperandKind::vector;
  switch (slot.shape) {
    case Shape::scalar:
    case Shape::coordinates: return !is_vector;
    case Shape::by_suffix:
      // {%r1} without a vector suffix is %r1.
      return is_vector ? operand.elements.size() == vector : vector == 1;
    case Shape::vector: return is_vector && operand.elements.size() == slot.count;
    case Shape::list: return is_vector;
    case Shape::scalar_or_list: return true;
  }
  return false;
}

bool is_value(const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::reg:
    case OperandKind::special:
    case OperandKind::integer:
    case OperandKind::real:
    case OperandKind::symbol:
    case OperandKind::vector:
    case OperandKind::sink: return true;
    default: return false;
  }
}

bool value_fits(const SlotPattern& slot, const Operand& operand, bool parenthesised, unsigned vector) {
  if (parenthesised || !is_value(operand) || !vector_fits(slot, operand, vector)) return false;
  if (slot.immediate) return is_constant(operand);
  if (operand.negated && !slot.negatable) return false;
  if (operand.selector != 0 && !slot.selectable) return false;
  if (operand.kind == OperandKind::sink || slot.sink_only) return operand.kind == OperandKind::sink && slot.sink;
  if (slot.role != Role::use) return operand.kind == OperandKind::reg || operand.kind == OperandKind::vector;
  return true;
}

}  // namespace

bool suffixes_fit(const FormFamily& family, const Form& form, const ModifierList& modifiers, bool any_order) {
  const std::uint64_t mask = mask_of(modifiers);
  if ((mask & ~form.allowed) != 0 || (form.required & ~mask) != 0) return false;
  return any_order ? fit_in_any_order(family, form, modifiers) : fit_in_order(family, form, modifiers);
}

bool operand_fits(const SlotPattern& slot, const Operand& operand, bool parenthesised, unsigned vector) {
  switch (slot.role) {
    case Role::address:
      return operand.kind == OperandKind::address && operand.elements.empty() == (slot.shape != Shape::coordinates);
    case Role::label:
      return operand.kind == OperandKind::label || operand.kind == OperandKind::table ||
             (slot.optional && operand.kind == OperandKind::symbol);
    case Role::callee: return operand.kind == OperandKind::symbol || operand.kind == OperandKind::reg;
    case Role::list: return parenthesised;
    case Role::def:
    case Role::use:
    case Role::def_use: return value_fits(slot, operand, parenthesised, vector);
  }
  return false;
}

bool assign_operands(std::span<const SlotPattern> slots, std::span<const WrittenOperand> written,
                     const ModifierList& modifiers, Assignment& assignment) {
  const unsigned vector = vector_suffix(modifiers);
  const auto needed = [&](const SlotPattern& s) {
    return s.only_with != Modifier::none ? modifiers.has(s.only_with) : !s.optional;
  };
  unsigned needed_after = 0;
  for (const SlotPattern& slot : slots) needed_after += needed(slot);
  std::size_t next = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const SlotPattern& slot = slots[i];
    assignment[i] = -1;
    const bool need = needed(slot);
    needed_after -= need;
    if (!need && slot.only_with != Modifier::none) continue;
    const bool fits = next < written.size() && written[next].joined == slot.joined &&
                      operand_fits(slot, written[next].operand, written[next].parenthesised, vector);
    if (need && !fits) return false;
    if (!fits || (!need && written.size() - next <= needed_after)) continue;
    assignment[i] = static_cast<std::int8_t>(next++);
  }
  return next == written.size();
}

namespace {

bool slotted_operands_fit(std::span<const SlotPattern> slots, const Instruction& inst) {
  if (slots.size() != inst.operands.size()) return false;
  const unsigned vector = vector_suffix(inst.modifiers);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Operand& operand = inst.operands[i];
    if (!operand.present()) {
      if (!slots[i].optional) return false;
    } else if (!operand_fits(slots[i], operand, slots[i].role == Role::list, vector)) {
      return false;
    }
  }
  return true;
}

}  // namespace

FormId find_form(const Instruction& inst) {
  const FormRange range = forms_of(inst.opcode);
  for (const bool any_order : {false, true})
    for (std::size_t i = 0; i < range.forms.size(); ++i)
      if (suffixes_fit(*range.family, range.forms[i], inst.modifiers, any_order) &&
          slotted_operands_fit(range.family->slots_of(range.forms[i]), inst))
        return static_cast<FormId>(range.first + i);
  return no_form;
}

FormRef form_of(const Instruction& inst) { return form_of(inst.form != no_form ? inst.form : find_form(inst)); }

}  // namespace heddle::ptx
