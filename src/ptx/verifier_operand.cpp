// Operands against the slots of their instruction's form.
#include "ptx/form_match.hpp"
#include "ptx/form_rules.hpp"
#include "ptx/forms.hpp"
#include "ptx/object_instructions.hpp"
#include "ptx/type_rules.hpp"
#include "ptx/vector_size.hpp"
#include "ptx/verifier_impl.hpp"

namespace heddle::ptx::verify_detail {
namespace {

constexpr std::int64_t block_barriers = 16;

bool is_opaque(Type type) { return kind(type) == TypeKind::opaque; }

const char* space_name(Space space) {
  switch (space) {
    case Space::generic: return "generic";
    case Space::global: return ".global";
    case Space::shared: return ".shared";
    case Space::local: return ".local";
    case Space::constant: return ".const";
    case Space::param: return ".param";
  }
  return "?";
}

std::optional<Space> space_of(Modifier m) {
  switch (m) {
    case Modifier::global: return Space::global;
    case Modifier::shared:
    case Modifier::shared_cta:
    case Modifier::shared_cluster: return Space::shared;
    case Modifier::local: return Space::local;
    case Modifier::const_: return Space::constant;
    case Modifier::param:
    case Modifier::param_entry:
    case Modifier::param_func: return Space::param;
    default: return std::nullopt;
  }
}

// The n-th space suffix of an instruction.
std::optional<Space> nth_space(const ModifierList& modifiers, unsigned n) {
  for (Modifier m : modifiers)
    if (const std::optional<Space> space = space_of(m))
      if (n-- == 0) return space;
  return std::nullopt;
}

bool is_step(const SlotPattern& pattern, std::int64_t value) {
  if (pattern.step == 0) return (value & (value - 1)) == 0;
  return (value - pattern.least) % pattern.step == 0;
}

std::string count(std::size_t n, const char* noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

class OperandChecker {
 public:
  OperandChecker(const Context& context, const Instruction& inst, const FormRef& form)
      : c_(context), inst_(inst), form_(form), list_(slots(inst)) {}

  void check() {
    for (unsigned i = 0; i < list_.size; ++i) check_slot(form_.slots()[i], list_[i], inst_.operands[i]);
  }

 private:
  std::string where(const SlotPattern& slot) const {
    return "Operand " + std::string(slot_name(*form_.form, slot)) + " of " + mnemonic(inst_);
  }
  void error(const SlotPattern& slot, const std::string& text) { c_.report.error(where(slot) + " " + text); }

  void check_slot(const SlotPattern& pattern, const Slot& slot, const Operand& operand) {
    if (!operand.present()) return;
    switch (pattern.role) {
      case Role::def:
      case Role::def_use:
      case Role::use: return check_value(pattern, slot.type, operand);
      case Role::address: return check_address(pattern, operand);
      case Role::label:
      case Role::callee:
      case Role::list: return;  // check_control
    }
  }

  void check_value(const SlotPattern& pattern, Type type, const Operand& operand) {
    if (operand.kind == OperandKind::vector) return check_vector(pattern, type, operand);
    check_scalar(pattern, type, operand, false);
    const ElementRange range = element_range(*form_.form, pattern, inst_.modifiers, inst_.d);
    if (range.least > 1)
      error(pattern, "is one register; expected a vector of " + std::to_string(range.least) + " in braces.");
  }

  void check_vector(const SlotPattern& pattern, Type type, const Operand& operand) {
    const std::size_t n = operand.elements.size();
    const ElementRange range = element_range(*form_.form, pattern, inst_.modifiers, inst_.d);
    if (range.least != 0 && (n < range.least || n > range.most))
      return error(pattern, "has " + count(n, "element") + "; expected " + std::to_string(range.least) + ".");
    if (type == Type::none && pattern.rule == TypeRule::pack)
      return error(pattern, "has " + count(n, "element") + ", among which the bits of ." +
                                std::string(name(inst_.d.type)) + " cannot be shared out.");
    for (const Operand& element : operand.elements) check_scalar(pattern, type, element, true);
    if (pattern.relaxed) check_widths(pattern, operand);
  }

  // Where registers may be wider than the type, those of a vector still have one width.
  void check_widths(const SlotPattern& pattern, const Operand& vector) {
    unsigned width = 0;
    for (const Operand& element : vector.elements) {
      if (!element.is_reg() || element.index >= c_.function.registers.size()) continue;
      const Register& reg = c_.function.registers[element.index];
      const unsigned bits = bit_width(reg.type);
      if (reg.type == Type::pred) return;
      if (width != 0 && bits != width)
        return error(pattern, "has registers of " + std::to_string(width) + " and " + std::to_string(bits) + " bits (" +
                                  reg.name + ").");
      width = bits;
    }
  }

  void check_scalar(const SlotPattern& pattern, Type type, const Operand& operand, bool element) {
    const bool written = pattern.role != Role::use;
    switch (operand.kind) {
      case OperandKind::reg: return check_register(pattern, type, operand);
      case OperandKind::integer:
      case OperandKind::real:
        if (written) return error(pattern, "is a constant; expected a register.");
        return check_constant(pattern, type, operand);
      case OperandKind::special:
        if (written) return error(pattern, "is a special register, which cannot be written.");
        return check_special(pattern, type, operand);
      case OperandKind::symbol:
        if (written || element) return error(pattern, "is a variable; expected a register.");
        return check_symbol(pattern, type, operand);
      case OperandKind::sink:
        if (element ? !written : !pattern.sink) error(pattern, "cannot be _.");
        return;
      default: return error(pattern, "is no register or constant.");
    }
  }

  bool is_known(const SlotPattern& pattern, std::uint32_t reg) {
    if (reg < c_.function.registers.size()) return true;
    error(pattern, "is a register that does not exist.");
    return false;
  }

  // cp.async takes a byte count or a predicate in one place.
  bool takes_predicate(Type type) const { return type == Type::none && inst_.opcode == Opcode::cp; }

  void check_register(const SlotPattern& pattern, Type type, const Operand& operand) {
    if (!is_known(pattern, operand.index)) return;
    const Register& reg = c_.function.registers[operand.index];
    if (register_fits(reg.type, type, pattern.relaxed) || (reg.type == Type::pred && takes_predicate(type))) return;
    error(pattern, "is " + reg.name + ", a ." + std::string(name(reg.type)) + " register; expected " +
                       describe_register(type, pattern.relaxed) + ".");
  }

  void check_constant(const SlotPattern& pattern, Type type, const Operand& operand) {
    if (!constant_fits(operand, type))
      return error(pattern, std::string("is ") + (operand.kind == OperandKind::real ? "a real" : "an integer") +
                                " constant; expected " + describe_value(type, pattern.relaxed) + ".");
    if (operand.kind != OperandKind::integer) return;
    if (pattern.immediate) check_range(pattern, operand.value);
    if (is_barrier_number(pattern) && (operand.value < 0 || operand.value >= block_barriers))
      error(pattern, "is " + std::to_string(operand.value) + "; a block has barriers 0 to 15.");
  }

  bool is_barrier_number(const SlotPattern& pattern) const {
    return (inst_.opcode == Opcode::bar || inst_.opcode == Opcode::barrier) && slot_name(*form_.form, pattern) == "a";
  }

  void check_range(const SlotPattern& pattern, std::int64_t value) {
    if (pattern.plus_minus_one) {
      if (value != 1 && value != -1) error(pattern, "is " + std::to_string(value) + "; expected -1 or 1.");
      return;
    }
    const bool unlimited = pattern.most == SlotPattern::no_limit;
    if (value >= pattern.least && (unlimited || value <= pattern.most) && is_step(pattern, value)) return;
    std::string range = std::to_string(pattern.least);
    if (unlimited)
      range += " or more";
    else if (pattern.most != pattern.least)
      range += " to " + std::to_string(pattern.most);
    if (pattern.step == 0) range += " in powers of two";
    if (pattern.step > 1) range += " in steps of " + std::to_string(pattern.step);
    error(pattern, "is " + std::to_string(value) + "; expected " + range + ".");
  }

  // Special registers are read by mov and cvt only; WARP_SZ is an integer constant.
  void check_special(const SlotPattern& pattern, Type type, const Operand& operand) {
    const std::string text(name(operand.special));
    if (operand.special == SpecialRegister::none || operand.special >= SpecialRegister::count_)
      return error(pattern, "is a special register that does not exist.");
    if (operand.special == SpecialRegister::warpsize && constant_fits(Operand::make_integer(32), type)) return;
    if (inst_.opcode != Opcode::mov && inst_.opcode != Opcode::cvt)
      return error(pattern, "is " + text + "; special registers are read with mov or cvt.");
    const Type own = type_of(operand.special);
    const bool predicate = own == Type::pred || type == Type::pred;
    const bool fits = predicate                     ? own == type
                      : is_float(type)              ? false
                      : inst_.opcode == Opcode::cvt ? true
                      : bit_width(own) == 64        ? bit_width(type) == 64
                                                    : bit_width(type) <= 32;
    if (!fits)
      error(pattern, "is " + text + ", which has ." + std::string(name(own)) + "; expected a value for ." +
                         std::string(name(type)) + ".");
  }

  // Only mov and cvta take the address of a variable or function.
  void check_symbol(const SlotPattern& pattern, Type type, const Operand& operand) {
    const std::string text = symbol_name(c_.module, c_.function, operand.symbol);
    const Variable* variable = find_variable(c_.module, c_.function, operand.symbol);
    const Function* function = find_function(c_.module, operand.symbol);
    if (!variable && !function) return error(pattern, "is a symbol that does not exist.");
    if (inst_.opcode != Opcode::mov && inst_.opcode != Opcode::cvta && !takes_object(variable))
      return error(pattern, "is the variable " + text + "; expected a register or constant (mov gives an address).");
    if (inst_.opcode == Opcode::mov && (is_float(type) || type == Type::pred))
      return error(pattern, "is the address of " + text + "; expected a value for ." + std::string(name(type)) + ".");
    if (inst_.opcode != Opcode::cvta || !variable || is_opaque(variable->type)) return;
    if (inst_.d.to)
      return error(pattern, "is the variable " + text + "; cvta.to takes a generic address in a register.");
    if (variable->space != inst_.d.space) wrong_space(pattern, *variable, inst_.d.space);
  }

  // istypep asks about a texture, sampler or surface.
  bool takes_object(const Variable* variable) const {
    return inst_.opcode == Opcode::istypep && variable && is_opaque(variable->type);
  }

  void wrong_space(const SlotPattern& pattern, const Variable& variable, Space wanted) {
    error(pattern, "is " + variable.name + ", a " + space_name(variable.space) + " variable; expected an address in " +
                       space_name(wanted) + ".");
  }

  void check_address(const SlotPattern& pattern, const Operand& operand) {
    switch (operand.base) {
      case OperandKind::reg: check_base(pattern, operand); break;
      case OperandKind::symbol: check_address_symbol(pattern, operand); break;
      case OperandKind::none:
        if (inst_.d.space != Space::local) error(pattern, "is an absolute address; those exist in .local space only.");
        break;
      default: error(pattern, "is no address."); break;
    }
    if (pattern.shape == Shape::coordinates) check_coordinates(pattern, operand);
  }

  void check_base(const SlotPattern& pattern, const Operand& operand) {
    if (!is_known(pattern, operand.index)) return;
    const Register& reg = c_.function.registers[operand.index];
    const unsigned bits = bit_width(reg.type);
    if (reg.type == Type::pred || is_float(reg.type) || (bits != 32 && bits != 64))
      error(pattern, "has the base " + reg.name + ", a ." + std::string(name(reg.type)) +
                         " register; expected a 32- or 64-bit integer or untyped register.");
  }

  // Where an address slot points when the suffixes say it; nothing: a generic address.
  std::optional<Space> wanted_space(const SlotPattern& pattern) const {
    const std::string_view slot = slot_name(*form_.form, pattern);
    if (slot == "mbar") return std::nullopt;
    if (inst_.opcode == Opcode::cp || inst_.opcode == Opcode::tensormap) {
      if (slot == "s")
        return nth_space(inst_.modifiers,
                         form_.form->slot_count > 2 || inst_.modifiers.size() > 3 ? source_space() : 0);
      return slot == "d" ? nth_space(inst_.modifiers, 0) : std::nullopt;
    }
    return nth_space(inst_.modifiers, 0);
  }
  // Copies to memory name two spaces, prefetches only the source's.
  unsigned source_space() const { return nth_space(inst_.modifiers, 1) ? 1 : 0; }

  void check_address_symbol(const SlotPattern& pattern, const Operand& operand) {
    const Variable* variable = find_variable(c_.module, c_.function, operand.symbol);
    if (!variable) {
      const Function* function = find_function(c_.module, operand.symbol);
      return error(pattern, function ? "is the function " + function->name + "; expected the address of data."
                                     : "names a symbol that does not exist.");
    }
    if (takes_object_address()) return check_object(pattern, *variable);
    const std::optional<Space> wanted = wanted_space(pattern);
    if (wanted && variable->space != *wanted) return wrong_space(pattern, *variable, *wanted);
    const bool stores = pattern.role == Role::address && inst_.opcode == Opcode::st;
    if (stores && operand.symbol.kind == SymbolRef::Kind::parameter)
      error(pattern, "is the parameter " + variable->name + ", which cannot be written.");
  }

  bool takes_object_address() const { return uses_texture(inst_.opcode) || uses_surface(inst_.opcode); }

  void check_object(const SlotPattern& pattern, const Variable& variable) {
    const bool surface = uses_surface(inst_.opcode);
    const bool sampler_query = inst_.opcode == Opcode::txq && variable.type == Type::samplerref;
    const Type wanted = surface ? Type::surfref : Type::texref;
    // A kernel parameter may hold a 64-bit handle instead of the object.
    if (variable.type == wanted || sampler_query || variable.space == Space::param) return;
    error(pattern, "is " + variable.name + ", a ." + std::string(name(variable.type)) + " variable; expected a ." +
                       std::string(name(wanted)) + ".");
  }

  void check_coordinates(const SlotPattern& pattern, const Operand& operand) {
    if (operand.elements.empty() || operand.elements.size() > 2) return error(pattern, "lacks coordinates.");
    if (operand.elements.size() == 2) check_sampler(pattern, operand.elements.front());
    const Operand& coordinates = operand.elements.back();
    const ElementRange range = element_range(*form_.form, pattern, inst_.modifiers, inst_.d);
    const std::size_t n = coordinates.kind == OperandKind::vector ? coordinates.elements.size() : 1;
    if (range.least != 0 && n != range.least && n != range.most)
      return error(pattern, "has " + count(n, "coordinate") + "; expected " + std::to_string(range.least) + ".");
    if (coordinates.kind != OperandKind::vector) return check_coordinate(pattern, coordinates);
    for (const Operand& element : coordinates.elements) check_coordinate(pattern, element);
  }

  void check_sampler(const SlotPattern& pattern, const Operand& sampler) {
    if (sampler.kind == OperandKind::reg) {
      if (is_known(pattern, sampler.index) && bit_width(c_.function.registers[sampler.index].type) != 64)
        error(pattern, "has a sampler that is no 64-bit register.");
      return;
    }
    const Variable* variable =
        sampler.kind == OperandKind::symbol ? find_variable(c_.module, c_.function, sampler.symbol) : nullptr;
    if (!variable || (variable->type != Type::samplerref && variable->space != Space::param))
      error(pattern, "has a sampler that is no .samplerref.");
  }

  void check_coordinate(const SlotPattern& pattern, const Operand& coordinate) {
    switch (coordinate.kind) {
      case OperandKind::integer:
      case OperandKind::real: return;
      case OperandKind::reg: break;
      default: return error(pattern, "has a coordinate that is no register or constant.");
    }
    if (!is_known(pattern, coordinate.index)) return;
    const Register& reg = c_.function.registers[coordinate.index];
    if (reg.type == Type::pred || bit_width(reg.type) != 32)
      error(pattern, "has the coordinate " + reg.name + ", a ." + std::string(name(reg.type)) +
                         " register; coordinates have 32 bits.");
  }

  const Context& c_;
  const Instruction& inst_;
  const FormRef& form_;
  SlotList list_;
};

}  // namespace

bool check_operands(const Context& context, const Instruction& inst) {
  if (inst.opcode >= Opcode::count_) {
    context.report.error("There is an instruction without opcode.");
    return false;
  }
  const FormRef form = form_of(inst);
  if (!form || form.form->opcode != inst.opcode || form.form->slot_count != inst.operands.size()) {
    context.report.error("The suffixes and operands of " + mnemonic(inst) + " are those of no form of " +
                         std::string(name(inst.opcode)) + ".");
    return false;
  }
  if (const std::optional<SuffixConflict> conflict = find_conflict(inst.opcode, inst.modifiers, inst.d)) {
    context.report.error("In " + mnemonic(inst) + " there is ." + std::string(name(conflict->offender)) +
                         "; expected " + conflict->expected + ".");
    return false;
  }
  OperandChecker(context, inst, form).check();
  return true;
}

}  // namespace heddle::ptx::verify_detail
