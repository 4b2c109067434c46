#include "ptx/semantics/float_arithmetic.hpp"

#include <utility>

#include "heddle/error.hpp"

namespace heddle::ptx::semantics {
namespace {

using Kind = Exact::Kind;
constexpr u128 one = 1;

Exact nan_value() {
  Exact value;
  value.kind = Kind::nan;
  return value;
}

Exact signed_zero(bool sign) {
  Exact value;
  value.sign = sign;
  return value;
}

Exact signed_infinity(bool sign) {
  Exact value;
  value.kind = Kind::infinity;
  value.sign = sign;
  return value;
}

// Moves the top bit to bit 125, so that a sum of two such values cannot overflow; exact for significands of up to 126
// bits.
Exact normalised(Exact value) {
  const int shift = 125 - static_cast<int>(top_bit(value.significand));
  value.significand = shift >= 0 ? value.significand << shift : value.significand >> -shift;
  value.exponent -= shift;
  return value;
}

// Shifts right by `count`, keeping a 1 in the lowest bit for whatever was lost.
u128 shift_right_jam(u128 value, unsigned count) {
  if (count == 0) return value;
  if (count >= 127) return value != 0;
  const bool lost = (value & ((one << count) - 1)) != 0;
  return (value >> count) | (lost ? 1 : 0);
}

// The NaN that an f64 operation gives: the first of the operands given here that is one, made quiet; other formats have
// one NaN. GPUs look at the second operand first, then the third, then the first; in division at the first one.
std::uint64_t nan_result(Format format, const FloatMode& mode, std::uint64_t a, std::uint64_t b = 0,
                         std::uint64_t c = 0) {
  if (mode.sat) return 0;
  if (format.width() == 64) {
    const std::uint64_t quiet = std::uint64_t{1} << 51;
    for (std::uint64_t operand : {a, b, c})
      if (is_nan(format, operand)) return operand | quiet;
  }
  return format.canonical_nan;
}

std::uint64_t encode_or_nan(Format format, const Exact& value, const FloatMode& mode, std::uint64_t a,
                            std::uint64_t b = 0, std::uint64_t c = 0) {
  return value.kind == Kind::nan ? nan_result(format, mode, a, b, c) : encode(format, value, mode);
}

bool rounds_down(const FloatMode& mode) { return mode.rounding == Rounding::rm; }

Exact exact_div(const Exact& a, const Exact& b) {
  if (a.kind == Kind::nan || b.kind == Kind::nan) return nan_value();
  const bool sign = a.sign != b.sign;
  if (a.kind == Kind::infinity) return b.kind == Kind::infinity ? nan_value() : signed_infinity(sign);
  if (b.kind == Kind::infinity) return signed_zero(sign);
  if (b.kind == Kind::zero) return a.kind == Kind::zero ? nan_value() : signed_infinity(sign);
  if (a.kind == Kind::zero) return signed_zero(sign);
  const Exact dividend = normalised(a);  // 126 bits by at most 53: a quotient of 73 bits or more
  Exact result;
  result.kind = Kind::finite;
  result.sign = sign;
  result.significand = dividend.significand / b.significand;
  result.sticky = dividend.significand % b.significand != 0;
  result.exponent = dividend.exponent - b.exponent;
  return result;
}

u128 integer_sqrt(u128 value) {
  u128 root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const u128 trial = root | (one << bit);
    if (trial * trial <= value) root = trial;
  }
  return root;
}

Exact exact_sqrt(const Exact& a) {
  if (a.kind == Kind::nan) return nan_value();
  if (a.kind == Kind::zero) return a;
  if (a.sign) return nan_value();
  if (a.kind == Kind::infinity) return a;
  Exact value = normalised(a);
  if (value.exponent % 2 != 0) {
    value.significand <<= 1;
    value.exponent -= 1;
  }
  Exact result;
  result.kind = Kind::finite;
  result.significand = integer_sqrt(value.significand);
  result.sticky = result.significand * result.significand != value.significand;
  result.exponent = value.exponent / 2;
  return result;
}

}  // namespace

Exact exact_mul(const Exact& a, const Exact& b) {
  if (a.kind == Kind::nan || b.kind == Kind::nan) return nan_value();
  const bool sign = a.sign != b.sign;
  if (a.kind == Kind::infinity || b.kind == Kind::infinity) {
    return a.kind == Kind::zero || b.kind == Kind::zero ? nan_value() : signed_infinity(sign);
  }
  if (a.kind == Kind::zero || b.kind == Kind::zero) return signed_zero(sign);
  Exact result;
  result.kind = Kind::finite;
  result.sign = sign;
  result.significand = a.significand * b.significand;
  result.exponent = a.exponent + b.exponent;
  return result;
}

Exact exact_add(const Exact& a, const Exact& b, bool toward_negative) {
  if (a.kind == Kind::nan || b.kind == Kind::nan) return nan_value();
  if (a.kind == Kind::infinity) return b.kind == Kind::infinity && a.sign != b.sign ? nan_value() : a;
  if (b.kind == Kind::infinity) return b;
  if (a.kind == Kind::zero && b.kind == Kind::zero) return signed_zero(a.sign == b.sign ? a.sign : toward_negative);
  if (a.kind == Kind::zero) return b;
  if (b.kind == Kind::zero) return a;
  Exact high = normalised(a), low = normalised(b);
  if (high.exponent < low.exponent) std::swap(high, low);
  // At least 20 low bits of a normalised product of f64s are zero, so bits are lost only when the operands' exponents
  // are far apart, and then the sum keeps its top bits: a 1 for the lost part is enough to round.
  const u128 aligned = shift_right_jam(low.significand, static_cast<unsigned>(high.exponent - low.exponent));
  Exact result;
  result.kind = Kind::finite;
  result.exponent = high.exponent;
  if (high.sign == low.sign) {
    result.sign = high.sign;
    result.significand = high.significand + aligned;
  } else {
    const bool high_wins = high.significand >= aligned;
    result.sign = high_wins ? high.sign : low.sign;
    result.significand = high_wins ? high.significand - aligned : aligned - high.significand;
    if (result.significand == 0) return signed_zero(toward_negative);
  }
  return result;
}

std::uint64_t float_fma(Format format, std::uint64_t a, std::uint64_t b, std::uint64_t c, const FloatMode& mode) {
  a = flush(format, a, mode.ftz);
  b = flush(format, b, mode.ftz);
  c = flush(format, c, mode.ftz);
  const Exact product = exact_mul(decode(format, a), decode(format, b));
  return encode_or_nan(format, exact_add(product, decode(format, c), rounds_down(mode)), mode, b, c, a);
}

std::uint64_t float_add(Format format, std::uint64_t a, std::uint64_t b, const FloatMode& mode) {
  a = flush(format, a, mode.ftz);
  b = flush(format, b, mode.ftz);
  return encode_or_nan(format, exact_add(decode(format, a), decode(format, b), rounds_down(mode)), mode, b, a);
}

std::uint64_t float_sub(Format format, std::uint64_t a, std::uint64_t b, const FloatMode& mode) {
  if (is_nan(format, b)) return float_add(format, a, b, mode);  // a NaN keeps its sign
  return float_add(format, a, b ^ format.sign_bit(), mode);
}

std::uint64_t float_mul(Format format, std::uint64_t a, std::uint64_t b, const FloatMode& mode) {
  a = flush(format, a, mode.ftz);
  b = flush(format, b, mode.ftz);
  return encode_or_nan(format, exact_mul(decode(format, a), decode(format, b)), mode, b, a);
}

std::uint64_t float_div(Format format, std::uint64_t a, std::uint64_t b, const FloatMode& mode) {
  a = flush(format, a, mode.ftz);
  b = flush(format, b, mode.ftz);
  return encode_or_nan(format, exact_div(decode(format, a), decode(format, b)), mode, a, b);
}

std::uint64_t float_rcp(Format format, std::uint64_t a, const FloatMode& mode) {
  a = flush(format, a, mode.ftz);
  return encode_or_nan(format, exact_div(decode(format, format.one()), decode(format, a)), mode, a);
}

std::uint64_t float_sqrt(Format format, std::uint64_t a, const FloatMode& mode) {
  a = flush(format, a, mode.ftz);
  return encode_or_nan(format, exact_sqrt(decode(format, a)), mode, a);
}

Ordering float_order(Format format, std::uint64_t a, std::uint64_t b) {
  if (is_nan(format, a) || is_nan(format, b)) return Ordering::unordered;
  const auto signed_magnitude = [&](std::uint64_t bits) {
    const s128 magnitude = static_cast<s128>(bits & format.magnitude_mask());
    return bits & format.sign_bit() ? -magnitude : magnitude;
  };
  const s128 left = signed_magnitude(a), right = signed_magnitude(b);
  return left < right ? Ordering::less : left > right ? Ordering::greater : Ordering::equal;
}

bool float_compare(Format format, Compare compare, std::uint64_t a, std::uint64_t b, bool ftz) {
  const Ordering order = float_order(format, flush(format, a, ftz), flush(format, b, ftz));
  const bool unordered = order == Ordering::unordered;
  const bool less = order == Ordering::less, equal = order == Ordering::equal, greater = order == Ordering::greater;
  switch (compare) {
    case Compare::eq: return equal;
    case Compare::ne: return less || greater;
    case Compare::lt: return less;
    case Compare::le: return less || equal;
    case Compare::gt: return greater;
    case Compare::ge: return greater || equal;
    case Compare::equ: return unordered || equal;
    case Compare::neu: return !equal;
    case Compare::ltu: return unordered || less;
    case Compare::leu: return unordered || less || equal;
    case Compare::gtu: return unordered || greater;
    case Compare::geu: return unordered || greater || equal;
    case Compare::num: return !unordered;
    case Compare::nan: return unordered;
    default: throw Error(ErrorCode::internal, "not a floating-point comparison");
  }
}

namespace {

std::uint64_t min_max(Format format, std::uint64_t a, std::uint64_t b, const MinMaxMode& mode, bool want_less) {
  a = flush(format, a, mode.ftz) & (format.sign_bit() | format.magnitude_mask());
  b = flush(format, b, mode.ftz) & (format.sign_bit() | format.magnitude_mask());
  const std::uint64_t sign = (a ^ b) & format.sign_bit();
  if (mode.xorsign_abs) {
    a &= format.magnitude_mask();
    b &= format.magnitude_mask();
  }
  const bool a_nan = is_nan(format, a), b_nan = is_nan(format, b);
  if ((a_nan && b_nan) || (mode.nan && (a_nan || b_nan))) return nan_result(format, {}, b, a);
  std::uint64_t result;
  if (a_nan || b_nan) {
    result = a_nan ? b : a;
  } else {
    Ordering order = float_order(format, a, b);
    if (order == Ordering::equal) order = (a & format.sign_bit()) ? Ordering::less : Ordering::greater;  // -0 < +0
    result = (order == Ordering::less) == want_less ? a : b;
  }
  return mode.xorsign_abs ? result | sign : result;
}

}  // namespace

std::uint64_t float_min(Format format, std::uint64_t a, std::uint64_t b, const MinMaxMode& mode) {
  return min_max(format, a, b, mode, true);
}

std::uint64_t float_max(Format format, std::uint64_t a, std::uint64_t b, const MinMaxMode& mode) {
  return min_max(format, a, b, mode, false);
}

std::uint64_t float_abs(Format format, std::uint64_t a, bool ftz) {
  if (is_nan(format, a)) return nan_result(format, {}, a);
  return flush(format, a, ftz) & format.magnitude_mask();
}

std::uint64_t float_neg(Format format, std::uint64_t a, bool ftz) {
  if (is_nan(format, a)) return nan_result(format, {}, a);
  return (flush(format, a, ftz) ^ format.sign_bit()) & (format.magnitude_mask() | format.sign_bit());
}

std::uint64_t float_copysign(Format format, std::uint64_t a, std::uint64_t b) {
  return (a & format.sign_bit()) | (b & format.magnitude_mask());
}

bool float_test(Format format, Modifier kind, std::uint64_t a) {
  switch (kind) {
    case Modifier::finite: return !is_nan(format, a) && !is_infinite(format, a);
    case Modifier::infinite: return is_infinite(format, a);
    case Modifier::number: return !is_nan(format, a);
    case Modifier::notanumber: return is_nan(format, a);
    case Modifier::normal: return !is_nan(format, a) && !is_infinite(format, a) && !is_subnormal(format, a);
    case Modifier::subnormal: return is_subnormal(format, a);
    default: throw Error(ErrorCode::internal, "not a property that testp knows");
  }
}

}  // namespace heddle::ptx::semantics
