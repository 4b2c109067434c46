// The table of instruction forms in the shape the matcher works on. The families (form_table_*.cpp) are written as text
// in the notation of form_text.hpp and turned into this at compile time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ptx/instruction.hpp"
#include "ptx/slot.hpp"

namespace heddle::ptx {

// The first PTX version and target that have a form. 0: it was always there (within PTX 6.0 and sm_30).
struct Since {
  std::uint16_t ptx = 0;  // 78 for 7.8
  std::uint16_t sm = 0;   // 90 for sm_90
  char feature = 0;       // 'a' when only the architecture-specific target (sm_90a) has it, 'f' for the family
};

// Where the type of an operand comes from.
enum class TypeRule : std::uint8_t {
  fixed,   // SlotPattern::type
  suffix,  // the type suffix number SlotPattern::which
  wide,    // twice the width of that suffix, same kind (mul.wide)
  any,     // whatever the operand has
  pack,    // mov {a,b}: the suffix's type, or an even share of its bits for each element of a vector
};

// How many registers an operand is.
enum class Shape : std::uint8_t {
  scalar,
  by_suffix,  // a vector when the instruction has .v2, .v4 or .v8, else one
  vector,     // exactly SlotPattern::count
  list,       // a vector of any length
  scalar_or_list,
  coordinates,  // of an address: [a, {x, y}] or, with a sampler, [a, s, {x, y}]
};

struct SlotPattern {
  static constexpr std::uint16_t no_limit = 0xFFFF;
  Role role = Role::use;
  TypeRule rule = TypeRule::suffix;
  Shape shape = Shape::scalar;
  Type type = Type::none;
  std::uint8_t which = 0;  // suffix number, 0 the first
  std::uint8_t count = 1;
  bool optional = false;
  bool joined = false;     // written after '|'
  bool immediate = false;  // must be a constant, from `least` to `most` in steps (0: powers of two)
  std::uint16_t least = 0, most = no_limit, step = 1;
  bool plus_minus_one = false;                  // that constant is -1 or 1
  bool relaxed = false;                         // the register may be wider than the type
  bool sink = false;                            // may be _
  bool sink_only = false;                       // must be _
  bool negatable = false;                       // may be !p or, for video instructions, -r
  bool selectable = false;                      // may carry .b0, .h1 ...
  Modifier only_with = Modifier::none;          // the operand is there exactly when the instruction has this suffix
  std::uint16_t name_begin = 0, name_size = 0;  // within Form::operands
};

// One suffix position: any of `count` alternatives of the family's pool.
struct Element {
  std::uint16_t first = 0;
  std::uint8_t count = 0;
  bool optional = false;
  bool is_type = false;
};

struct Form {
  Opcode opcode = Opcode::count_;
  std::uint8_t element_count = 0, slot_count = 0, least_operands = 0;
  std::uint16_t first_element = 0, first_slot = 0;
  // One bit for each suffix number modulo 64: suffixes that may and that must be there; rejects most forms at once.
  std::uint64_t allowed = 0, required = 0;
  Since since;
  std::string_view suffixes, operands;  // as written in the family's text
};

// The forms of several opcodes with the pools they index. Forms of one opcode are adjacent.
struct FormFamily {
  std::string_view title;
  std::span<const Form> forms;
  std::span<const Element> elements;
  std::span<const Modifier> alternatives;
  std::span<const SlotPattern> slots;

  std::span<const Element> elements_of(const Form& f) const {
    return elements.subspan(f.first_element, f.element_count);
  }
  std::span<const SlotPattern> slots_of(const Form& f) const { return slots.subspan(f.first_slot, f.slot_count); }
  std::span<const Modifier> alternatives_of(const Element& e) const { return alternatives.subspan(e.first, e.count); }
};

// All families, in the order of the support table.
std::span<const FormFamily* const> form_families();

// The forms of one opcode: `first` is the id of forms[0]; the others follow.
struct FormRange {
  const FormFamily* family = nullptr;
  std::span<const Form> forms;
  FormId first = no_form;
};
FormRange forms_of(Opcode opcode);

// A form with the family that it belongs to.
struct FormRef {
  const FormFamily* family = nullptr;
  const Form* form = nullptr;
  std::span<const SlotPattern> slots() const { return family->slots_of(*form); }
  std::span<const Element> elements() const { return family->elements_of(*form); }
  explicit operator bool() const { return form != nullptr; }
};
// Empty for an id that no form has.
FormRef form_of(FormId id);

std::string_view slot_name(const Form& form, const SlotPattern& slot);
// "add{.sat}.s32 d, a, b": one form in the notation of the PTX ISA, for messages and documentation. Of more than `most`
// alternatives only the first and the last are named.
std::string describe(const FormFamily& family, const Form& form, std::size_t most = 6);

}  // namespace heddle::ptx
