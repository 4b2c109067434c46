#include "ptx/type_rules.hpp"

namespace heddle::ptx {
namespace {

// What two types must share to go together.
enum class Class : std::uint8_t { none, predicate, untyped, integer, floating, packed };

Class class_of(Type type) {
  switch (kind(type)) {
    case TypeKind::predicate: return Class::predicate;
    case TypeKind::bits: return Class::untyped;
    case TypeKind::unsigned_int:
    case TypeKind::signed_int: return element_count(type) > 1 ? Class::packed : Class::integer;
    case TypeKind::floating: return element_count(type) > 1 ? Class::packed : Class::floating;
    default: return Class::none;
  }
}

// tf32 and the 8-bit and narrower formats have no registers of their own.
bool is_untyped_register(Type reg) { return class_of(reg) == Class::untyped; }

bool classes_fit(Type reg, Type wanted) {
  switch (class_of(wanted)) {
    case Class::untyped: return class_of(reg) != Class::predicate;
    case Class::integer: return class_of(reg) == Class::integer || class_of(reg) == Class::packed;
    case Class::packed: return reg == wanted || reg == Type::f16x2;
    case Class::floating: return reg == wanted;
    default: return false;
  }
}

}  // namespace

bool register_fits(Type reg, Type wanted, bool relaxed) {
  if (wanted == Type::none) return class_of(reg) != Class::predicate && class_of(reg) != Class::none;
  if (wanted == Type::pred || reg == Type::pred) return reg == wanted;
  if (!is_untyped_register(reg) && !classes_fit(reg, wanted)) return false;
  const bool floating = class_of(reg) == Class::floating && class_of(wanted) == Class::floating;
  return relaxed && !floating ? bit_width(reg) >= bit_width(wanted) : bit_width(reg) == bit_width(wanted);
}

bool constant_fits(const Operand& constant, Type wanted) {
  const bool real = constant.kind == OperandKind::real;
  switch (class_of(wanted)) {
    case Class::predicate:
    case Class::integer: return !real;
    case Class::untyped:
      return !real || (wanted == Type::b32 && constant.real_type == Type::f32) ||
             (wanted == Type::b64 && constant.real_type == Type::f64);
    case Class::floating: return real && (wanted == Type::f32 || wanted == Type::f64);
    case Class::packed: return false;
    case Class::none: return !real;
  }
  return false;
}

std::string describe_register(Type wanted, bool relaxed) {
  const unsigned bits = bit_width(wanted);
  const std::string width = std::to_string(bits) + (relaxed ? "-bit (or wider) " : "-bit ");
  const std::string article = bits == 8 ? "an " : "a ";
  switch (class_of(wanted)) {
    case Class::predicate: return "a predicate register";
    case Class::untyped: return article + width + "register";
    case Class::integer: return article + width + "integer or untyped register";
    case Class::floating:
    case Class::packed: return "a ." + std::string(name(wanted)) + " or untyped " + width + "register";
    case Class::none: break;
  }
  return "a register that is no predicate";
}

std::string describe_value(Type wanted, bool relaxed) {
  const char* constant = "";
  switch (class_of(wanted)) {
    case Class::predicate:
    case Class::integer:
    case Class::untyped: constant = " or an integer constant"; break;
    case Class::floating: constant = wanted == Type::f32 || wanted == Type::f64 ? " or a real constant" : ""; break;
    default: break;
  }
  return describe_register(wanted, relaxed) + constant;
}

}  // namespace heddle::ptx
