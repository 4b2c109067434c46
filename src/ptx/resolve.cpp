#include "ptx/resolve.hpp"

#include <algorithm>

#include "ptx/decode_suffixes.hpp"
#include "ptx/form_match.hpp"
#include "ptx/form_rules.hpp"

namespace heddle::ptx {
namespace {

std::string dotted(Modifier m) { return "." + std::string(name(m)); }

std::string mnemonic(const Instruction& inst) {
  std::string text(name(inst.opcode));
  for (Modifier m : inst.modifiers) text += dotted(m);
  return text;
}

// Collects names without repeating them: ".u32, .s32 or .f32".
class Choices {
 public:
  static constexpr std::size_t most = 16;
  void add(const std::string& text) {
    if (std::find(texts_.begin(), texts_.end(), text) == texts_.end()) texts_.push_back(text);
  }
  bool empty() const { return texts_.empty(); }
  std::string text() const {
    std::string out;
    const std::size_t n = std::min<std::size_t>(texts_.size(), most);
    for (std::size_t i = 0; i < n; ++i) {
      if (i > 0) out += i + 1 == texts_.size() ? " or " : ", ";
      out += texts_[i];
    }
    return n < texts_.size() ? out + ", ..." : out;
  }

 private:
  std::vector<std::string> texts_;
};

bool allows(const FormFamily& family, const Form& form, Modifier m) {
  for (const Element& element : family.elements_of(form))
    for (Modifier a : family.alternatives_of(element))
      if (a == m) return true;
  return false;
}

// What the suffixes lack for one form, and what is too much.
struct Difference {
  Modifier surplus = Modifier::none;  // first suffix that finds no place
  const Element* missing = nullptr;   // first position that must be filled and is not
  unsigned surplus_count = 0, missing_count = 0;
};

Difference compare(const FormFamily& family, const Form& form, const ModifierList& modifiers) {
  Difference result;
  unsigned taken = 0;
  for (const Element& element : family.elements_of(form)) {
    bool found = false;
    for (unsigned i = 0; i < modifiers.size() && !found; ++i) {
      const std::span<const Modifier> a = family.alternatives_of(element);
      if ((taken >> i & 1) == 0 && std::find(a.begin(), a.end(), modifiers[i]) != a.end()) {
        taken |= 1u << i;
        found = true;
      }
    }
    if (found || element.optional) continue;
    if (!result.missing) result.missing = &element;
    ++result.missing_count;
  }
  for (unsigned i = 0; i < modifiers.size(); ++i) {
    if (taken >> i & 1) continue;
    if (result.surplus == Modifier::none) result.surplus = modifiers[i];
    ++result.surplus_count;
  }
  return result;
}

bool is_type(Modifier m) { return m > Modifier::first_type_; }

// The suffixes of one kind (types or not) that stand together with `m` in some form: ".ftz only with .f32".
Choices types_with(const FormRange& range, Modifier m) {
  Choices choices;
  for (const Form& form : range.forms) {
    if (!allows(*range.family, form, m)) continue;
    for (const Element& element : range.family->elements_of(form)) {
      if (!element.is_type) continue;
      for (Modifier a : range.family->alternatives_of(element)) choices.add(dotted(a));
      break;
    }
  }
  return choices;
}

ResolveError at_instruction(const Instruction& inst, std::string found, std::string expected) {
  return {inst.where.line, inst.where.column, std::move(found), std::move(expected)};
}

ResolveError unknown_suffix(const Instruction& inst, const FormRange& range, Modifier m) {
  Choices choices;
  for (const Form& form : range.forms)
    for (const Element& element : range.family->elements_of(form))
      for (Modifier a : range.family->alternatives_of(element))
        if (is_type(a) == is_type(m)) choices.add(dotted(a));
  std::string expected = choices.empty()
                             ? std::string(name(inst.opcode)) + " without " + (is_type(m) ? "a type" : "suffixes")
                             : "one of " + choices.text();
  return at_instruction(inst, "'" + dotted(m) + "', which " + std::string(name(inst.opcode)) + " never has",
                        std::move(expected));
}

// A suffix that the instruction has in some form, but not in this company.
ResolveError misplaced_suffix(const Instruction& inst, const FormRange& range, const Form& best, Modifier m) {
  const Modifier* first_type = std::find_if(inst.modifiers.begin(), inst.modifiers.end(), is_type);
  const Choices types = types_with(range, m);
  if (!is_type(m) && first_type != inst.modifiers.end() && !types.empty()) {
    bool with_type = false;
    for (const Form& form : range.forms)
      with_type |= allows(*range.family, form, m) && allows(*range.family, form, *first_type);
    if (!with_type)
      return at_instruction(inst, "'" + dotted(m) + "' with " + dotted(*first_type) + " in " + mnemonic(inst),
                            dotted(m) + " only with " + types.text());
  }
  return at_instruction(inst, "'" + dotted(m) + "' in " + mnemonic(inst),
                        "suffixes as in " + describe(*range.family, best));
}

ResolveError explain_suffixes(const Instruction& inst, const FormRange& range) {
  for (Modifier m : inst.modifiers) {
    bool known = false;
    for (const Form& form : range.forms) known |= allows(*range.family, form, m);
    if (!known) return unknown_suffix(inst, range, m);
  }
  const Form* best = nullptr;
  Difference difference;
  for (const Form& form : range.forms) {
    const Difference d = compare(*range.family, form, inst.modifiers);
    const auto cost = [](const Difference& x) { return 2 * x.surplus_count + x.missing_count; };
    if (!best || cost(d) < cost(difference)) best = &form, difference = d;
  }
  if (difference.surplus != Modifier::none) return misplaced_suffix(inst, range, *best, difference.surplus);
  if (!difference.missing)
    return at_instruction(inst, mnemonic(inst), "types in the order of " + describe(*range.family, *best));
  Choices choices;
  for (Modifier a : range.family->alternatives_of(*difference.missing)) choices.add(dotted(a));
  return at_instruction(inst, mnemonic(inst), choices.text() + " as well, as in " + describe(*range.family, *best));
}

std::string plural(std::size_t n, const char* noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

std::string value_kind(const SlotPattern& slot, unsigned vector) {
  const std::string scalar = slot.role == Role::use ? "a register or constant" : "a register";
  if (slot.immediate) return "a constant";
  if (slot.sink_only) return "'_'";
  switch (slot.shape) {
    case Shape::vector: return std::to_string(slot.count) + " elements in braces";
    case Shape::list: return "a vector in braces";
    case Shape::by_suffix: return vector == 1 ? scalar : std::to_string(vector) + " elements in braces";
    default: return scalar;
  }
}

std::string slot_kind(const SlotPattern& slot, unsigned vector) {
  switch (slot.role) {
    case Role::address:
      return slot.shape == Shape::coordinates ? "an address with coordinates in brackets" : "an address in brackets";
    case Role::label: return "a label or table";
    case Role::callee: return "a function or a register";
    case Role::list: return "a list in parentheses";
    default: return value_kind(slot, vector);
  }
}

// Points at the first operand that does not suit the form's slots from left to right.
ResolveError explain_operands(const Instruction& inst, const FormRef& form, std::span<const WrittenOperand> written) {
  const unsigned vector = vector_suffix(inst.modifiers);
  const std::string usage = describe(*form.family, *form.form);
  std::size_t next = 0;
  for (const SlotPattern& slot : form.slots()) {
    if (next == written.size()) break;
    const WrittenOperand& w = written[next];
    const bool wanted = slot.only_with == Modifier::none || inst.modifiers.has(slot.only_with);
    if (wanted && w.joined == slot.joined && operand_fits(slot, w.operand, w.parenthesised, vector)) {
      ++next;
    } else if (!slot.optional) {
      return {w.line, w.column, "'" + std::string(w.text) + "'",
              slot_kind(slot, vector) + " for operand " + std::string(slot_name(*form.form, slot)) + " of " + usage};
    }
  }
  std::string count = plural(form.form->least_operands, "operand");
  if (form.form->least_operands != form.form->slot_count)
    count = std::to_string(form.form->least_operands) + " to " + plural(form.form->slot_count, "operand");
  if (next < written.size())
    return {written[next].line, written[next].column, "'" + std::string(written[next].text) + "'",
            count + ": " + usage};
  return at_instruction(inst, plural(written.size(), "operand"), count + ": " + usage);
}

// A vector of one where the suffixes ask for a scalar stands for its element.
Operand unwrap(const SlotPattern& slot, Operand&& operand) {
  if (slot.shape != Shape::by_suffix || operand.kind != OperandKind::vector || operand.elements.size() != 1)
    return std::move(operand);
  Operand element = std::move(operand.elements.front());
  return element;
}

void fill(Instruction& inst, FormId id, std::span<const SlotPattern> slots, const Assignment& assignment,
          std::span<WrittenOperand> written) {
  inst.form = id;
  inst.operands.clear();
  inst.operands.reserve(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (assignment[i] < 0)
      inst.operands.emplace_back();
    else
      inst.operands.push_back(unwrap(slots[i], std::move(written[static_cast<std::size_t>(assignment[i])].operand)));
  }
}

}  // namespace

std::optional<ResolveError> resolve(Instruction& inst, std::span<WrittenOperand> written) {
  const FormRange range = forms_of(inst.opcode);
  Assignment assignment;
  FormId by_suffixes = no_form;
  for (const bool any_order : {false, true}) {
    for (std::size_t i = 0; i < range.forms.size(); ++i) {
      if (!suffixes_fit(*range.family, range.forms[i], inst.modifiers, any_order)) continue;
      const FormId id = static_cast<FormId>(range.first + i);
      const std::span<const SlotPattern> slots = range.family->slots_of(range.forms[i]);
      if (assign_operands(slots, written, inst.modifiers, assignment)) {
        const Decoded d = decode_suffixes(inst.opcode, inst.modifiers);
        if (std::optional<SuffixConflict> conflict = find_conflict(inst.opcode, inst.modifiers, d))
          return at_instruction(inst, "'" + dotted(conflict->offender) + "' in " + mnemonic(inst), conflict->expected);
        inst.d = d;
        fill(inst, id, slots, assignment, written);
        return std::nullopt;
      }
      if (by_suffixes == no_form) by_suffixes = id;
    }
  }
  if (by_suffixes != no_form) return explain_operands(inst, form_of(by_suffixes), written);
  return explain_suffixes(inst, range);
}

}  // namespace heddle::ptx
