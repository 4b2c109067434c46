#include "random/catalog.hpp"

#include <algorithm>
#include <array>

#include "heddle/error.hpp"
#include "ptx/decode_suffixes.hpp"
#include "ptx/form_rules.hpp"
#include "ptx/semantics/evaluate.hpp"

namespace heddle::test::random_kernel {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Role;
using ptx::Type;

namespace {

constexpr Opcode common_opcodes[] = {Opcode::add,  Opcode::sub,  Opcode::mul,  Opcode::mad, Opcode::fma,
                                     Opcode::and_, Opcode::or_,  Opcode::xor_, Opcode::shl, Opcode::shr,
                                     Opcode::setp, Opcode::selp, Opcode::min,  Opcode::max, Opcode::cvt,
                                     Opcode::not_, Opcode::neg,  Opcode::abs,  Opcode::mov};

// Opcodes with something of their own: condition codes, or results within an error.
bool is_left_out(Opcode opcode) {
  switch (opcode) {
    case Opcode::addc:
    case Opcode::subc:
    case Opcode::madc:
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::lg2:
    case Opcode::ex2:
    case Opcode::tanh:
    case Opcode::rsqrt: return true;
    default: return opcode != Opcode::mov && !ptx::semantics::evaluates(opcode);
  }
}

bool has_plain_operands(const ptx::FormFamily& family, const ptx::Form& form) {
  for (const ptx::SlotPattern& slot : family.slots_of(form))
    if (slot.shape != ptx::Shape::scalar && slot.shape != ptx::Shape::scalar_or_list) return false;
  return true;
}

bool supports(const Target& target, const ptx::Since& since) {
  return since.feature == 0 && since.ptx <= target.ptx && since.sm <= target.sm;
}

bool has_small_floats(const Choice& choice) {
  const auto is_small = [](Type type) {
    return type == Type::tf32 || (ptx::is_float(type) && ptx::bit_width(ptx::element(type)) < 16);
  };
  return is_small(choice.d.type) || is_small(choice.d.type2);
}

// mad.f32 without rounding is for targets that are long gone.
bool is_obsolete(const Choice& choice) {
  return choice.form->opcode == Opcode::mad && choice.d.type == Type::f32 && choice.d.rounding == ptx::Rounding::none;
}

}  // namespace

std::string mnemonic(const Choice& choice) {
  std::string text(ptx::name(choice.form->opcode));
  for (Modifier m : choice.modifiers) text += "." + std::string(ptx::name(m));
  return text;
}

Type slot_type(const Choice& choice, const ptx::SlotPattern& slot) {
  const Type of_suffix[] = {choice.d.type, choice.d.type2, choice.d.type3, choice.d.type4};
  switch (slot.rule) {
    case ptx::TypeRule::fixed: return slot.type;
    case ptx::TypeRule::wide: {
      const Type narrow = of_suffix[slot.which];
      if (ptx::bit_width(narrow) == 16) return ptx::is_signed(narrow) ? Type::s32 : Type::u32;
      return ptx::is_signed(narrow) ? Type::s64 : Type::u64;
    }
    default: return of_suffix[slot.which];
  }
}

Catalog::Catalog() {
  for (const ptx::FormFamily* family : ptx::form_families()) {
    for (const ptx::Form& form : family->forms) {
      if (is_left_out(form.opcode) || !has_plain_operands(*family, form)) continue;
      const bool common =
          std::find(std::begin(common_opcodes), std::end(common_opcodes), form.opcode) != std::end(common_opcodes);
      auto& entries = common ? common_ : others_;
      if (entries.empty() || entries.back().forms.back()->opcode != form.opcode) entries.push_back({family, {}});
      entries.back().forms.push_back(&form);
    }
  }
}

// Asks the oracle whether it knows the instruction.
bool Catalog::is_exact(const Choice& choice) {
  if (choice.d.approx || choice.d.full || choice.d.carry_out || is_obsolete(choice)) return false;
  // No device has the NaNs of .oob; the small formats have tests of their own, which try every value.
  if (choice.modifiers.has(Modifier::oob) || has_small_floats(choice)) return false;
  if (choice.form->opcode == Opcode::mov) return true;
  const auto [it, fresh] = known_.emplace(mnemonic(choice), true);
  if (!fresh) return it->second;
  ptx::Instruction inst;
  inst.opcode = choice.form->opcode;
  inst.modifiers = choice.modifiers;
  inst.d = choice.d;
  inst.operands.resize(choice.form->slot_count);
  std::vector<ptx::semantics::Argument> uses;
  for (const ptx::SlotPattern& slot : choice.family->slots_of(*choice.form))
    if (slot.role == Role::use) uses.push_back({{1}, true});
  bool carry = false;
  try {
    ptx::semantics::evaluate(inst, uses, carry);
  } catch (const Error&) {
    it->second = false;
  }
  return it->second;
}

namespace {

// Seen on an H200 with the driver 580: merging and secondary operations of the scalar video instructions, which are
// emulated there; comparisons to 1.0 whose bits are looked at; subnormal numbers in directed rounding to f16.
bool differs_on_gpus(const Choice& choice) {
  switch (choice.form->opcode) {
    case Opcode::set: return ptx::is_float(choice.d.type);
    case Opcode::cvt: return choice.d.ftz && (choice.d.type == Type::f16 || choice.d.type2 == Type::bf16);
    default: return ptx::name(choice.form->opcode).front() == 'v';
  }
}

}  // namespace

Choice Catalog::pick(Random& random, const Target& target, bool for_gpu) {
  for (;;) {
    const Entry& entry = random.pick(random.chance(60) ? common_ : others_);
    Choice choice;
    choice.family = entry.family;
    choice.form = random.pick(entry.forms);
    for (const ptx::Element& element : entry.family->elements_of(*choice.form))
      if (!element.optional || random.chance(35))
        choice.modifiers.push_back(random.pick(entry.family->alternatives_of(element)));
    choice.d = ptx::decode_suffixes(choice.form->opcode, choice.modifiers);
    if (ptx::find_conflict(choice.form->opcode, choice.modifiers, choice.d)) continue;
    const bool late = choice.form->opcode == Opcode::set && choice.d.type == Type::bf16 && target.sm < 90;
    if (!late && !(for_gpu && differs_on_gpus(choice)) &&
        supports(target, ptx::since(*choice.form, choice.modifiers)) && is_exact(choice))
      return choice;
  }
}

}  // namespace heddle::test::random_kernel
