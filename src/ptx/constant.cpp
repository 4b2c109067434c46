#include "ptx/constant.hpp"

#include <bit>
#include <charconv>
#include <string>

namespace heddle::ptx {
namespace {

using Kind = Constant::Kind;

std::optional<std::uint64_t> parse_digits(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<Constant> integer_literal(std::string_view text) {
  const bool has_u = text.back() == 'U';
  if (has_u) text.remove_suffix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    base = text[1] == 'x' || text[1] == 'X' ? 16 : text[1] == 'b' || text[1] == 'B' ? 2 : 8;
    text.remove_prefix(base == 8 ? 1 : 2);
  }
  const auto value = parse_digits(text, base);
  if (!value) return std::nullopt;
  return Constant{has_u || *value >> 63 ? Kind::unsigned_integer : Kind::signed_integer, *value};
}

std::optional<Constant> real_literal(std::string_view text) {
  if (text.size() > 1 && text[0] == '0' && (text[1] | 0x20) == 'f')
    return Constant{Kind::f32, *parse_digits(text.substr(2), 16)};
  if (text.size() > 1 && text[0] == '0' && (text[1] | 0x20) == 'd')
    return Constant{Kind::f64, *parse_digits(text.substr(2), 16)};
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return Constant::real(value);
}

template <class T>
std::optional<bool> compare(TokenKind op, T a, T b) {
  switch (op) {
    case TokenKind::less: return a < b;
    case TokenKind::greater: return a > b;
    case TokenKind::less_equal: return a <= b;
    case TokenKind::greater_equal: return a >= b;
    case TokenKind::equal_equal: return a == b;
    case TokenKind::not_equal: return a != b;
    default: return std::nullopt;
  }
}

std::optional<Constant> binary_real(TokenKind op, double a, double b) {
  if (const auto result = compare(op, a, b)) return Constant::integer(*result);
  switch (op) {
    case TokenKind::plus: return Constant::real(a + b);
    case TokenKind::minus: return Constant::real(a - b);
    case TokenKind::star: return Constant::real(a * b);
    case TokenKind::slash: return b == 0 ? std::nullopt : std::optional(Constant::real(a / b));
    default: return std::nullopt;
  }
}

std::optional<std::uint64_t> divide(TokenKind op, std::uint64_t a, std::uint64_t b, bool is_unsigned) {
  if (b == 0) return std::nullopt;
  if (is_unsigned) return op == TokenKind::slash ? a / b : a % b;
  if (static_cast<std::int64_t>(b) == -1) return op == TokenKind::slash ? 0 - a : 0;  // the least value over -1 wraps
  const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
  return static_cast<std::uint64_t>(op == TokenKind::slash ? x / y : x % y);
}

std::uint64_t shift_right(std::uint64_t a, std::uint64_t by, bool is_unsigned) {
  if (is_unsigned) return by > 63 ? 0 : a >> by;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> (by > 63 ? 63 : by));
}

std::optional<Constant> binary_integer(TokenKind op, Constant a, Constant b) {
  const bool is_unsigned = a.kind == Kind::unsigned_integer || b.kind == Kind::unsigned_integer;
  const auto comparison = is_unsigned ? compare(op, a.bits, b.bits) : compare(op, a.as_signed(), b.as_signed());
  if (comparison) return Constant::integer(*comparison);
  const auto result = [&](std::uint64_t bits) {
    return Constant{is_unsigned ? Kind::unsigned_integer : Kind::signed_integer, bits};
  };
  switch (op) {
    case TokenKind::plus: return result(a.bits + b.bits);
    case TokenKind::minus: return result(a.bits - b.bits);
    case TokenKind::star: return result(a.bits * b.bits);
    case TokenKind::ampersand: return result(a.bits & b.bits);
    case TokenKind::pipe: return result(a.bits | b.bits);
    case TokenKind::caret: return result(a.bits ^ b.bits);
    case TokenKind::and_and: return Constant::integer(a.truth() && b.truth());
    case TokenKind::or_or: return Constant::integer(a.truth() || b.truth());
    // The type of a shift is that of its left operand.
    case TokenKind::shift_left: return Constant{a.kind, b.bits > 63 ? 0 : a.bits << b.bits};
    case TokenKind::shift_right: return Constant{a.kind, shift_right(a.bits, b.bits, a.kind == Kind::unsigned_integer)};
    case TokenKind::slash:
    case TokenKind::percent:
      if (const auto bits = divide(op, a.bits, b.bits, is_unsigned)) return result(*bits);
      return std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace

double Constant::as_double() const {
  switch (kind) {
    case Kind::f32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case Kind::f64: return std::bit_cast<double>(bits);
    case Kind::unsigned_integer: return static_cast<double>(bits);
    case Kind::signed_integer: break;
  }
  return static_cast<double>(as_signed());
}

bool Constant::truth() const { return is_real() ? as_double() != 0 : bits != 0; }

Constant Constant::real(double value) { return {Kind::f64, std::bit_cast<std::uint64_t>(value)}; }

std::optional<Constant> literal_value(TokenKind kind, std::string_view text) {
  return kind == TokenKind::integer ? integer_literal(text) : real_literal(text);
}

std::optional<Constant> apply_unary(TokenKind op, Constant value) {
  switch (op) {
    case TokenKind::plus: return value;
    case TokenKind::minus:
      if (value.kind == Kind::f32) return Constant{Kind::f32, value.bits ^ 0x80000000u};
      if (value.kind == Kind::f64) return Constant{Kind::f64, value.bits ^ 0x8000000000000000u};
      return Constant{value.kind, 0 - value.bits};
    case TokenKind::exclamation:
      if (value.is_real()) return std::nullopt;
      return Constant::integer(!value.truth());
    case TokenKind::tilde:
      if (value.is_real()) return std::nullopt;
      return Constant{value.kind, ~value.bits};
    default: return std::nullopt;
  }
}

std::optional<Constant> apply_binary(TokenKind op, Constant a, Constant b) {
  if (a.is_real() != b.is_real()) return std::nullopt;
  return a.is_real() ? binary_real(op, a.as_double(), b.as_double()) : binary_integer(op, a, b);
}

int precedence(TokenKind kind) {
  switch (kind) {
    case TokenKind::or_or: return 1;
    case TokenKind::and_and: return 2;
    case TokenKind::pipe: return 3;
    case TokenKind::caret: return 4;
    case TokenKind::ampersand: return 5;
    case TokenKind::equal_equal:
    case TokenKind::not_equal: return 6;
    case TokenKind::less:
    case TokenKind::greater:
    case TokenKind::less_equal:
    case TokenKind::greater_equal: return 7;
    case TokenKind::shift_left:
    case TokenKind::shift_right: return 8;
    case TokenKind::plus:
    case TokenKind::minus: return 9;
    case TokenKind::star:
    case TokenKind::slash:
    case TokenKind::percent: return 10;
    default: return 0;
  }
}

}  // namespace heddle::ptx
