// Values of constant expressions (PTX ISA 9.0, section 4.5): 64-bit integers, signed or unsigned, and floating point.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ptx/lexer.hpp"

namespace heddle::ptx {

struct Constant {
  enum class Kind : std::uint8_t { signed_integer, unsigned_integer, f32, f64 };
  Kind kind = Kind::signed_integer;
  std::uint64_t bits = 0;  // integers: two's complement; f32: its 32 bits; f64: its 64 bits

  bool is_real() const { return kind == Kind::f32 || kind == Kind::f64; }
  double as_double() const;  // of a real or an integer
  std::int64_t as_signed() const { return static_cast<std::int64_t>(bits); }
  bool truth() const;

  static Constant integer(std::int64_t value) { return {Kind::signed_integer, static_cast<std::uint64_t>(value)}; }
  static Constant real(double value);
};

// The value of a number token; nothing when it does not fit 64 bits.
std::optional<Constant> literal_value(TokenKind kind, std::string_view text);
// Nothing when the operator does not take a value of this kind.
std::optional<Constant> apply_unary(TokenKind op, Constant value);
// Nothing when the operator does not take these kinds, or for a division by zero. Division, remainder, right shift and
// comparison are unsigned when either operand is; the rest does not care.
std::optional<Constant> apply_binary(TokenKind op, Constant a, Constant b);
// 0 when `kind` is no binary operator; * binds strongest.
int precedence(TokenKind kind);

}  // namespace heddle::ptx
