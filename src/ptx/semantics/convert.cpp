#include "ptx/semantics/convert.hpp"

#include <algorithm>

#include "heddle/error.hpp"

namespace heddle::ptx::semantics {
namespace {

constexpr u128 one = 1;
constexpr unsigned tf32_padding = 13;  // fraction bits of f32 that tf32 lacks
constexpr int ue8m0_bias = 127;
constexpr std::uint64_t ue8m0_nan = 0xff;

bool is_integer_rounding(Rounding rounding) {
  return rounding == Rounding::rni || rounding == Rounding::rzi || rounding == Rounding::rmi ||
         rounding == Rounding::rpi;
}

Exact decode_type(Type type, std::uint64_t bits) {
  if (type == Type::tf32) return decode(f32_format, bits);
  if (type != Type::ue8m0) return decode(format_of(type), bits);
  Exact value;
  value.kind = bits == ue8m0_nan ? Exact::Kind::nan : Exact::Kind::finite;
  value.significand = 1;
  value.exponent = static_cast<int>(bits) - ue8m0_bias;
  return value;
}

// ue8m0 has powers of two only: rounds the magnitude toward zero or up (rp).
std::uint64_t encode_ue8m0(const Exact& value, const FloatMode& mode) {
  if (value.kind == Exact::Kind::nan) return ue8m0_nan;
  if (value.kind == Exact::Kind::infinity) return mode.satfinite ? 0xfe : ue8m0_nan;
  if (value.kind == Exact::Kind::zero) return 0;
  const unsigned top = top_bit(value.significand);
  const bool power = value.significand == one << top;
  const int exponent = value.exponent + static_cast<int>(top) + (mode.rounding == Rounding::rp && !power ? 1 : 0);
  if (exponent > ue8m0_bias) return mode.satfinite ? 0xfe : ue8m0_nan;
  return static_cast<std::uint64_t>(std::max(exponent + ue8m0_bias, 0));
}

std::uint64_t encode_type(Type type, const Exact& value, const FloatMode& mode) {
  if (type == Type::ue8m0) return encode_ue8m0(value, mode);
  if (type == Type::tf32) {
    if (value.kind == Exact::Kind::nan) {  // .rna keeps the payload, the others do not
      const std::uint64_t bits = mode.rounding == Rounding::rna ? value.nan_bits : f32_format.canonical_nan;
      return bits >> tf32_padding << tf32_padding;
    }
    return encode(tf32_format, value, mode) << tf32_padding;
  }
  return encode(format_of(type), value, mode);
}

std::uint64_t float_to_integer(Type to, Type from, const Exact& value, Rounding rounding) {
  if (value.kind == Exact::Kind::nan) {
    const bool wide = from == Type::f64 || bit_width(to) == 64;
    return wide ? std::uint64_t{1} << (bit_width(to) - 1) : 0;
  }
  if (value.kind == Exact::Kind::infinity) return clamp_to(to, value.sign ? integer_min(to) : integer_max(to));
  if (value.kind == Exact::Kind::zero) return 0;
  if (rounding == Rounding::none) rounding = Rounding::rzi;
  u128 magnitude;
  if (value.exponent >= 0) {
    const bool huge = static_cast<int>(top_bit(value.significand)) + value.exponent > 100;
    magnitude = huge ? one << 100 : value.significand << value.exponent;
  } else {
    magnitude =
        round_shift(value.significand, static_cast<unsigned>(-value.exponent), value.sticky, value.sign, rounding);
  }
  const s128 integer = static_cast<s128>(magnitude);
  return clamp_to(to, value.sign ? -integer : integer);
}

// A whole number of the same format. The magnitude's sign is kept, so -0.25 rounds to -0.
std::uint64_t round_to_integral(Format format, std::uint64_t bits, const FloatMode& mode) {
  Exact value = decode(format, bits);
  if (value.kind == Exact::Kind::finite && value.exponent < 0) {
    value.significand =
        round_shift(value.significand, static_cast<unsigned>(-value.exponent), false, value.sign, mode.rounding);
    value.exponent = 0;
    if (value.significand == 0) value.kind = Exact::Kind::zero;
  }
  return encode(format, value, mode);
}

// The NaN that a NaN becomes: conversions from and to f64 and from bf16 to f32 keep sign and payload (made quiet),
// those with .ftz and all others give the canonical NaN.
std::uint64_t convert_nan(Type to, Type from, std::uint64_t bits, const FloatMode& mode) {
  if (mode.sat) return 0;
  if (to == Type::tf32 || to == Type::ue8m0) return encode_type(to, decode_type(from, bits), mode);
  if (from == Type::tf32 || from == Type::ue8m0) return format_of(to).canonical_nan;
  const Format source = format_of(from), target = format_of(to);
  if (to == from && bit_width(to) >= 32 && !mode.ftz && !is_integer_rounding(mode.rounding)) return bits;
  if (to == Type::f32 && from == Type::bf16 && !mode.ftz) return bits << 16;
  if (to != Type::f64 && from != Type::f64) return target.canonical_nan;
  if (mode.ftz && from == Type::f32) bits = source.canonical_nan;
  const std::uint64_t fraction = bits & source.fraction_mask();
  const int shift = static_cast<int>(target.fraction_bits) - static_cast<int>(source.fraction_bits);
  const std::uint64_t moved = shift >= 0 ? fraction << shift : fraction >> -shift;
  const std::uint64_t quiet = std::uint64_t{1} << (target.fraction_bits - 1);
  return (bits & source.sign_bit() ? target.sign_bit() : 0) | target.infinity() | quiet | moved;
}

std::uint64_t float_to_float(Type to, Type from, std::uint64_t bits, FloatMode mode) {
  if (decode_type(from, bits).kind == Exact::Kind::nan) return convert_nan(to, from, bits, mode);
  if (to == from && to != Type::tf32 && is_integer_rounding(mode.rounding)) {
    return round_to_integral(format_of(to), bits, mode);
  }
  if (to == from && !mode.sat && !mode.relu) return to == Type::f64 ? bits : flush(format_of(to), bits, mode.ftz);
  if (to != Type::f32) mode.ftz = false;
  return encode_type(to, decode_type(from, bits), mode);
}

}  // namespace

std::uint64_t truncate(Type type, std::uint64_t bits) {
  const unsigned width = bit_width(type);
  return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

std::uint64_t extend(Type type, std::uint64_t bits) {
  const unsigned width = bit_width(type);
  if (width >= 64) return bits;
  if (!is_signed(type) || element_count(type) != 1) return truncate(type, bits);
  const unsigned unused = 64 - width;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
}

s128 integer_value(Type type, std::uint64_t bits) {
  const std::uint64_t wide = extend(type, bits);
  return is_signed(type) ? static_cast<s128>(static_cast<std::int64_t>(wide)) : static_cast<s128>(wide);
}

s128 integer_min(Type type) { return is_signed(type) ? -(s128{1} << (bit_width(type) - 1)) : s128{0}; }
s128 integer_max(Type type) { return (s128{1} << (bit_width(type) - (is_signed(type) ? 1 : 0))) - 1; }

std::uint64_t clamp_to(Type type, s128 value) {
  return truncate(type, static_cast<std::uint64_t>(std::clamp(value, integer_min(type), integer_max(type))));
}

std::uint64_t convert(Type to, Type from, std::uint64_t bits, const FloatMode& mode) {
  bits = truncate(from, bits);
  const bool to_integer = !is_float(to), from_integer = !is_float(from);
  if (to_integer && from_integer) {
    return mode.sat ? clamp_to(to, integer_value(from, bits)) : truncate(to, extend(from, bits));
  }
  if (from == Type::f32) bits = flush(f32_format, bits, mode.ftz);
  if (to_integer) return float_to_integer(to, from, decode_type(from, bits), mode.rounding);
  if (from_integer) {
    const s128 value = integer_value(from, bits);
    const bool negative = value < 0;
    return encode_type(to, exact_from_integer(negative, static_cast<u128>(negative ? -value : value)), mode);
  }
  return float_to_float(to, from, bits, mode);
}

std::uint64_t convert_stochastic(Type to, std::uint64_t f32_bits, std::uint32_t random_bits, unsigned random_width,
                                 const FloatMode& mode) {
  Exact value = decode(f32_format, f32_bits);
  FloatMode cut = mode;
  cut.rounding = Rounding::rz;
  if (value.kind != Exact::Kind::finite) return encode_type(to, value, cut);
  const Format format = format_of(to);
  const int top = value.exponent + static_cast<int>(top_bit(value.significand));
  const int quantum = std::max(top, format.min_exponent()) - static_cast<int>(format.fraction_bits);
  // Work in units of 2^(quantum - random_width), or finer when the value has finer bits.
  const int unit = std::min(value.exponent, quantum - static_cast<int>(random_width));
  if (value.exponent - unit > 90 || quantum - static_cast<int>(random_width) - unit > 90)
    return encode_type(to, value, cut);
  value.significand <<= value.exponent - unit;
  const u128 random = random_bits & ((one << random_width) - 1);
  value.significand += random << (quantum - static_cast<int>(random_width) - unit);
  value.exponent = unit;
  return encode_type(to, value, cut);
}

std::uint32_t convert_pack(unsigned to_width, bool to_signed, std::int32_t a, std::int32_t b, std::uint32_t c) {
  const std::int64_t low = to_signed ? -(std::int64_t{1} << (to_width - 1)) : 0;
  const std::int64_t high = (std::int64_t{1} << (to_width - (to_signed ? 1 : 0))) - 1;
  const std::uint32_t mask = to_width == 32 ? ~0u : (1u << to_width) - 1;
  const auto saturate = [&](std::int32_t value) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, low, high)) & mask;
  };
  const std::uint32_t pair = (saturate(a) << to_width) | saturate(b);
  return to_width == 16 ? pair : (c << (2 * to_width)) | pair;
}

}  // namespace heddle::ptx::semantics
