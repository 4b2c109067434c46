#include "ptx/semantics/float_format.hpp"

#include <bit>

#include "heddle/error.hpp"

namespace heddle::ptx::semantics {
namespace {

constexpr u128 one = 1;

// The exponent that a normal pattern with this biased exponent has after the fraction is taken as an integer.
int integer_exponent(Format format, std::uint64_t biased) {
  return static_cast<int>(biased) - format.bias() - static_cast<int>(format.fraction_bits);
}

bool overflow_to_infinity(Format format, bool sign, const FloatMode& mode) {
  if (mode.satfinite || format.specials == Specials::finite) return false;
  switch (mode.rounding) {
    case Rounding::rz:
    case Rounding::rzi: return false;
    case Rounding::rm:
    case Rounding::rmi: return sign;
    case Rounding::rp:
    case Rounding::rpi: return !sign;
    default: return true;
  }
}

std::uint64_t overflow_magnitude(Format format, bool sign, const FloatMode& mode) {
  if (!overflow_to_infinity(format, sign, mode)) return format.max_finite();
  return format.specials == Specials::ieee ? format.infinity() : format.canonical_nan;
}

std::uint64_t infinity_magnitude(Format format, const FloatMode& mode) {
  if (mode.satfinite || format.specials == Specials::finite) return format.max_finite();
  return format.specials == Specials::ieee ? format.infinity() : format.canonical_nan;
}

// The exponent of the value rounded to the format's precision as if exponents had no end.
int rounded_top(Format format, u128 significand, int exponent, bool negative, const FloatMode& mode) {
  const int top = static_cast<int>(top_bit(significand));
  const int excess = top - static_cast<int>(format.fraction_bits);
  if (excess <= 0) return exponent + top;
  const u128 integer = round_shift(significand, static_cast<unsigned>(excess), false, negative, mode.rounding);
  return exponent + excess + static_cast<int>(top_bit(integer));
}

std::uint64_t round_finite(Format format, const Exact& value, const FloatMode& mode) {
  u128 significand = value.significand;
  int exponent = value.exponent;
  if (value.sticky) {  // make room for a bit that stands for what lies below
    const unsigned room = 126 - top_bit(significand);
    significand = (significand << room) | 1;
    exponent -= static_cast<int>(room);
  }
  const int top = exponent + static_cast<int>(top_bit(significand));
  // Flushing asks whether the result would be subnormal if it were rounded to full precision.
  if (mode.ftz && top < format.min_exponent() &&
      rounded_top(format, significand, exponent, value.sign, mode) < format.min_exponent())
    return value.sign ? format.sign_bit() : 0;
  const int scale = top < format.min_exponent() ? format.min_exponent() : top;
  const int quantum = scale - static_cast<int>(format.fraction_bits);  // exponent of the last place
  u128 integer = quantum <= exponent ? significand << (exponent - quantum)
                                     : round_shift(significand, static_cast<unsigned>(quantum - exponent), false,
                                                   value.sign, mode.rounding);
  int result_scale = scale;
  if (integer >> (format.fraction_bits + 1)) {  // carried into the next binade
    integer >>= 1;
    ++result_scale;
  }
  std::uint64_t magnitude;
  if (!(integer >> format.fraction_bits)) {
    magnitude = static_cast<std::uint64_t>(integer);  // subnormal or zero
  } else {
    const std::int64_t biased = result_scale + format.bias();
    if (biased >= (std::int64_t{1} << format.exponent_bits)) {
      magnitude = overflow_magnitude(format, value.sign, mode);
    } else {
      magnitude = (static_cast<std::uint64_t>(biased) << format.fraction_bits) |
                  (static_cast<std::uint64_t>(integer) & format.fraction_mask());
      if (magnitude > format.max_finite()) magnitude = overflow_magnitude(format, value.sign, mode);
    }
  }
  return magnitude | (value.sign ? format.sign_bit() : 0);
}

}  // namespace

Format format_of(Type type) {
  switch (element(type)) {
    case Type::f64: return f64_format;
    case Type::f32: return f32_format;
    case Type::f16: return f16_format;
    case Type::bf16: return bf16_format;
    case Type::tf32: return tf32_format;
    case Type::e5m2: return e5m2_format;
    case Type::e4m3: return e4m3_format;
    case Type::e3m2: return e3m2_format;
    case Type::e2m3: return e2m3_format;
    case Type::e2m1: return e2m1_format;
    default: throw Error(ErrorCode::internal, "no floating-point format for a type that is not floating point");
  }
}

unsigned top_bit(u128 value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  if (high) return 127 - static_cast<unsigned>(std::countl_zero(high));
  return 63 - static_cast<unsigned>(std::countl_zero(static_cast<std::uint64_t>(value)));
}

u128 round_shift(u128 value, unsigned count, bool sticky, bool negative, Rounding rounding) {
  if (count == 0) return value;
  const u128 kept = count >= 128 ? 0 : value >> count;
  const u128 dropped = count >= 128 ? value : value & ((one << count) - 1);
  const bool inexact = dropped != 0 || sticky;
  bool above_half = false, half = false;
  if (count <= 128) {
    const u128 middle = one << (count - 1);
    above_half = dropped > middle || (dropped == middle && sticky);
    half = dropped == middle && !sticky;
  }
  bool up = false;
  switch (rounding) {
    case Rounding::rz:
    case Rounding::rzi: break;
    case Rounding::rm:
    case Rounding::rmi: up = inexact && negative; break;
    case Rounding::rp:
    case Rounding::rpi: up = inexact && !negative; break;
    case Rounding::rna: up = above_half || half; break;
    default: up = above_half || (half && (kept & 1)); break;
  }
  return kept + (up ? 1 : 0);
}

bool is_nan(Format format, std::uint64_t bits) {
  const std::uint64_t magnitude = bits & format.magnitude_mask();
  switch (format.specials) {
    case Specials::ieee: return magnitude > format.infinity();
    case Specials::nan_only: return magnitude == format.magnitude_mask();
    case Specials::finite: break;
  }
  return false;
}

bool is_infinite(Format format, std::uint64_t bits) {
  return format.specials == Specials::ieee && (bits & format.magnitude_mask()) == format.infinity();
}

bool is_zero(Format format, std::uint64_t bits) { return (bits & format.magnitude_mask()) == 0; }

bool is_subnormal(Format format, std::uint64_t bits) {
  return (bits & format.exponent_mask()) == 0 && (bits & format.fraction_mask()) != 0;
}

std::uint64_t flush(Format format, std::uint64_t bits, bool ftz) {
  return ftz && is_subnormal(format, bits) ? bits & format.sign_bit() : bits;
}

Exact decode(Format format, std::uint64_t bits) {
  Exact value;
  value.sign = (bits & format.sign_bit()) != 0;
  if (is_nan(format, bits)) {
    value.kind = Exact::Kind::nan;
    value.nan_bits = bits & (format.magnitude_mask() | format.sign_bit());
  } else if (is_infinite(format, bits)) {
    value.kind = Exact::Kind::infinity;
  } else if (!is_zero(format, bits)) {
    value.kind = Exact::Kind::finite;
    const std::uint64_t biased = (bits & format.exponent_mask()) >> format.fraction_bits;
    value.significand = bits & format.fraction_mask();
    if (biased != 0) value.significand |= one << format.fraction_bits;
    value.exponent = integer_exponent(format, biased == 0 ? 1 : biased);
  }
  return value;
}

Exact exact_from_integer(bool negative, u128 magnitude) {
  Exact value;
  if (magnitude == 0) return value;
  value.kind = Exact::Kind::finite;
  value.sign = negative;
  value.significand = magnitude;
  return value;
}

std::uint64_t finish(Format format, std::uint64_t bits, const FloatMode& mode) {
  if (is_nan(format, bits)) return mode.sat ? 0 : bits;
  bits = flush(format, bits, mode.ftz);
  const bool negative = (bits & format.sign_bit()) != 0;
  if ((mode.sat || mode.relu) && negative) return 0;
  if (mode.sat && bits > format.one()) return format.one();
  return bits;
}

std::uint64_t encode(Format format, const Exact& value, const FloatMode& mode) {
  const std::uint64_t sign = value.sign ? format.sign_bit() : 0;
  switch (value.kind) {
    case Exact::Kind::zero: return finish(format, sign, mode);
    case Exact::Kind::infinity: return finish(format, infinity_magnitude(format, mode) | sign, mode);
    case Exact::Kind::nan: return finish(format, format.canonical_nan, mode);
    case Exact::Kind::finite: break;
  }
  return finish(format, round_finite(format, value, mode), mode);
}

}  // namespace heddle::ptx::semantics
