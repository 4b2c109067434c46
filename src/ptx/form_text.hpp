// The notation in which instruction forms are written down, and the code that reads it at compile time. Only the family
// files (form_table_*.cpp) include this.
//
// Suffixes: the mnemonic, then for each position a suffix (.sat), a choice (.(u32|s32)) or a named set (.<rnd>); a ?
// after it makes it optional.
//
// Operands: a list separated by commas, or by | for d|p pairs. First a sign for the role:
//   a  read    =d  written    +d  read and written    [a]  memory address    #n  a constant
//   @t label   ^f  what is called    (x)  list in parentheses of a call
// then, for a constant, the values it may have: {8} {0..255} {24..256/8} (steps of eight)
//   {4..16/0} (powers of two) {-1,1}
// then what is not the default:
//   :T :U :V :W  type of the first, second, third, fourth type suffix (first when nothing is said)
//   :wide        twice as wide as the first type suffix       :any  any type       :u32 (and so on) that type
//   *4 *v *n *1n a vector of four, a vector by the .v2/.v4/.v8 suffix, a vector of any length, a scalar or a vector
//   *p           as *1n, with an even share of the type's bits for each element
//   *c           of an address: followed by coordinates in the brackets
//   ~ the register may be wider   & may be _   && must be _   ! may be negated   $ may have a .b0 or .h0 selector
//   ? may be missing    ?.x is there exactly when the instruction has the suffix .x
#pragma once

#include "ptx/form_names.hpp"
#include "ptx/form_table.hpp"

namespace heddle::ptx::form_text {

struct FormText {
  std::string_view suffixes, operands;
  Since since{};
};

struct Counts {
  unsigned forms = 0, elements = 0, alternatives = 0, slots = 0;
};

// Where the reader puts what it reads; with null pointers it only counts.
struct Output {
  Form* forms = nullptr;
  Element* elements = nullptr;
  Modifier* alternatives = nullptr;
  SlotPattern* slots = nullptr;
  Counts n;
};

constexpr bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

class Reader {
 public:
  constexpr explicit Reader(std::string_view text) : text_(text) {}
  constexpr bool done() const { return at_ == text_.size(); }
  constexpr char peek() const { return done() ? '\0' : text_[at_]; }
  constexpr bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  constexpr void expect(char c) {
    if (!take(c)) throw "a form is not written in the notation of form_text.hpp";
  }
  constexpr std::string_view word() {
    const std::size_t begin = at_;
    while (at_ < text_.size()) {
      if (is_name(text_[at_]))
        ++at_;
      else if (text_[at_] == ':' && at_ + 1 < text_.size() && text_[at_ + 1] == ':')
        at_ += 2;
      else
        break;
    }
    if (at_ == begin) throw "a form lacks a name";
    return text_.substr(begin, at_ - begin);
  }
  constexpr std::size_t position() const { return at_; }
  constexpr void skip_blanks() {
    while (peek() == ' ') ++at_;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// The named sets as suffix numbers; computed once, as most forms use some.
struct ExpandedSets {
  std::array<std::uint16_t, 512> modifiers{};
  std::array<std::uint16_t, std::size(named_sets) + 1> begin{};

  consteval ExpandedSets() {
    std::uint16_t n = 0;
    for (std::size_t i = 0; i < std::size(named_sets); ++i) {
      Reader in(named_sets[i].alternatives);
      do modifiers[n++] = static_cast<std::uint16_t>(names.find(in.word()));
      while (in.take('|'));
      begin[i + 1] = n;
    }
  }
};
inline constexpr ExpandedSets expanded_sets;

constexpr void add_alternative(unsigned m, Form& form, Element& e, Output& out) {
  if (out.alternatives) out.alternatives[out.n.alternatives] = static_cast<Modifier>(m);
  ++out.n.alternatives;
  ++e.count;
  e.is_type = m > first_type;
  form.allowed |= std::uint64_t{1} << (m % 64);
}

constexpr void add_set(std::string_view name, Form& form, Element& e, Output& out) {
  for (std::size_t i = 0; i < std::size(named_sets); ++i) {
    if (named_sets[i].name != name) continue;
    for (unsigned k = expanded_sets.begin[i]; k < expanded_sets.begin[i + 1]; ++k)
      add_alternative(expanded_sets.modifiers[k], form, e, out);
    return;
  }
  throw "a form names an unknown set of suffixes";
}

constexpr void read_choice(Reader& in, Form& form, Element& e, Output& out) {
  if (in.take('<')) {
    add_set(in.word(), form, e, out);
    in.expect('>');
  } else {
    add_alternative(names.find(in.word()), form, e, out);
  }
}

// One suffix position, after its dot.
constexpr Element read_element(Reader& in, Form& form, Output& out) {
  Element e;
  e.first = static_cast<std::uint16_t>(out.n.alternatives);
  if (in.take('(')) {
    do read_choice(in, form, e, out);
    while (in.take('|'));
    in.expect(')');
  } else {
    read_choice(in, form, e, out);
  }
  e.optional = in.take('?');
  if (out.elements) out.elements[out.n.elements] = e;
  ++out.n.elements;
  ++form.element_count;
  return e;
}

constexpr Opcode find_opcode(std::string_view text) {
  for (unsigned i = 0; i < std::size(opcode_texts); ++i)
    if (opcode_texts[i] == text) return static_cast<Opcode>(i);
  throw "a form has a mnemonic that opcode.def does not have";
}

// Returns how many of the suffixes are types.
constexpr unsigned read_suffixes(Form& form, Output& out) {
  Reader in(form.suffixes);
  form.opcode = find_opcode(in.word());
  unsigned types = 0;
  while (in.take('.')) {
    const std::uint64_t before = form.allowed;
    form.allowed = 0;
    const Element e = read_element(in, form, out);
    if (!e.optional && e.count == 1) form.required |= form.allowed;
    form.allowed |= before;
    types += e.is_type;
  }
  if (!in.done()) throw "a form's suffixes are not written in the notation of form_text.hpp";
  return types;
}

constexpr void read_role(Reader& in, SlotPattern& s) {
  char close = '\0';
  if (in.take('='))
    s.role = Role::def;
  else if (in.take('+'))
    s.role = Role::def_use;
  else if (in.take('@'))
    s.role = Role::label;
  else if (in.take('^'))
    s.role = Role::callee;
  else if (in.take('#'))
    s.immediate = true;
  else if (in.take('['))
    s.role = Role::address, close = ']';
  else if (in.take('('))
    s.role = Role::list, close = ')';
  s.name_begin = static_cast<std::uint16_t>(in.position());
  s.name_size = static_cast<std::uint16_t>(in.word().size());
  if (close) in.expect(close);
}

constexpr std::uint16_t read_number(Reader& in) {
  unsigned n = 0;
  for (char c : in.word()) {
    if (c < '0' || c > '9') throw "a form has a bad number";
    n = n * 10 + static_cast<unsigned>(c - '0');
  }
  return static_cast<std::uint16_t>(n);
}

// {8} {0..255} {24..256/8}
constexpr void read_range(Reader& in, SlotPattern& s) {
  if (in.take('-')) {
    s.plus_minus_one = true;
    while (!in.take('}')) in.take(in.peek());
    return;
  }
  s.least = s.most = read_number(in);
  if (in.take('.')) {
    in.expect('.');
    s.most = read_number(in);
  }
  if (in.take('/')) s.step = read_number(in);
  in.expect('}');
}

constexpr void set_default_type(SlotPattern& s) {
  const auto fix = [&s](Type type) { s.rule = TypeRule::fixed, s.type = type; };
  if (s.role == Role::address)
    fix(Type::u64);
  else if (s.role == Role::label || s.role == Role::callee || s.role == Role::list)
    fix(Type::none);
  else if (s.immediate)
    fix(Type::u32);
}

constexpr void read_type(Reader& in, SlotPattern& s) {
  const std::string_view t = in.word();
  s.rule = TypeRule::suffix;
  if (t == "T")
    s.which = 0;
  else if (t == "U")
    s.which = 1;
  else if (t == "V")
    s.which = 2;
  else if (t == "W")
    s.which = 3;
  else if (t == "wide")
    s.rule = TypeRule::wide;
  else if (t == "any")
    s.rule = TypeRule::any;
  else {
    const unsigned m = names.find(t);
    if (m < first_type) throw "an operand's type is no type";
    s.rule = TypeRule::fixed;
    s.type = static_cast<Type>(m - first_type);
  }
}

constexpr void read_shape(Reader& in, SlotPattern& s) {
  const std::string_view n = in.word();
  if (n == "v")
    s.shape = Shape::by_suffix;
  else if (n == "n")
    s.shape = Shape::list;
  else if (n == "1n")
    s.shape = Shape::scalar_or_list;
  else if (n == "c")
    s.shape = Shape::coordinates;
  else if (n == "p")
    s.shape = Shape::scalar_or_list, s.rule = TypeRule::pack;
  else {
    s.shape = Shape::vector;
    s.count = 0;
    for (char c : n) s.count = static_cast<std::uint8_t>(s.count * 10 + (c - '0'));
  }
}

constexpr SlotPattern read_slot(Reader& in) {
  SlotPattern s;
  read_role(in, s);
  if (in.take('{')) read_range(in, s);
  set_default_type(s);
  if (in.take(':')) read_type(in, s);
  if (in.take('*')) read_shape(in, s);
  for (;;) {
    if (in.take('~'))
      s.relaxed = true;
    else if (in.take('&'))
      s.sink_only = s.sink, s.sink = true;
    else if (in.take('!'))
      s.negatable = true;
    else if (in.take('$'))
      s.selectable = true;
    else if (in.take('?')) {
      s.optional = true;
      if (in.take('.')) s.only_with = static_cast<Modifier>(names.find(in.word()));
    } else
      break;
  }
  return s;
}

constexpr void read_operands(Form& form, unsigned type_suffixes, Output& out) {
  Reader in(form.operands);
  bool joined = false;
  while (!in.done()) {
    SlotPattern s = read_slot(in);
    s.joined = joined;
    const bool by_suffix = s.rule == TypeRule::suffix || s.rule == TypeRule::wide || s.rule == TypeRule::pack;
    if (by_suffix && s.which >= type_suffixes) throw "an operand's type refers to a suffix that the form lacks";
    if (out.slots) out.slots[out.n.slots] = s;
    ++out.n.slots;
    ++form.slot_count;
    if (!s.optional) ++form.least_operands;
    joined = in.take('|');
    if (!joined && !in.done()) in.expect(',');
    in.skip_blanks();
  }
  if (form.slot_count > SlotList{}.items.size()) throw "a form has more operands than a SlotList";
}

constexpr void read_form(const FormText& text, Output& out) {
  Form form;
  form.suffixes = text.suffixes;
  form.operands = text.operands;
  form.since = text.since;
  form.first_element = static_cast<std::uint16_t>(out.n.elements);
  form.first_slot = static_cast<std::uint16_t>(out.n.slots);
  const unsigned types = read_suffixes(form, out);
  read_operands(form, types, out);
  if (out.forms) out.forms[out.n.forms] = form;
  ++out.n.forms;
}

template <std::size_t N>
consteval Counts count(const FormText (&texts)[N]) {
  Output out;
  for (const FormText& text : texts) read_form(text, out);
  return out.n;
}

template <Counts n>
struct Pools {
  std::array<Form, n.forms> forms{};
  std::array<Element, n.elements> elements{};
  std::array<Modifier, n.alternatives> alternatives{};
  std::array<SlotPattern, n.slots> slots{};

  constexpr FormFamily family(std::string_view title) const { return {title, forms, elements, alternatives, slots}; }
};

template <Counts n, std::size_t N>
consteval Pools<n> compile(const FormText (&texts)[N]) {
  Pools<n> pools;
  Output out{pools.forms.data(), pools.elements.data(), pools.alternatives.data(), pools.slots.data(), {}};
  for (const FormText& text : texts) read_form(text, out);
  return pools;
}

}  // namespace heddle::ptx::form_text

// HEDDLE_FORM_FAMILY(name, title, texts): defines the family `name` from the array `texts`.
#define HEDDLE_FORM_FAMILY(name, title, texts)                                         \
  namespace {                                                                          \
  constexpr auto name##_counts = heddle::ptx::form_text::count(texts);                 \
  constexpr auto name##_pools = heddle::ptx::form_text::compile<name##_counts>(texts); \
  }                                                                                    \
  extern const FormFamily name;                                                        \
  constinit const FormFamily name = name##_pools.family(title);
