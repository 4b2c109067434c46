#include "ptx/semantics/approximate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "heddle/error.hpp"
#include "ptx/semantics/convert.hpp"
#include "ptx/semantics/float_arithmetic.hpp"

namespace heddle::ptx::semantics {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;

double widen(Type type, std::uint64_t bits) { return std::bit_cast<double>(convert(Type::f64, type, bits, {})); }

std::uint64_t narrow(Type type, double value, bool ftz) {
  if (std::isnan(value)) return format_of(type).canonical_nan;
  FloatMode mode;
  mode.ftz = ftz;
  return finish(format_of(type), convert(type, Type::f64, std::bit_cast<std::uint64_t>(value), {}), mode);
}

// f(a) in double precision, rounded to f32.
template <class F>
std::uint32_t through_double(std::uint32_t a, bool ftz, F&& f) {
  return static_cast<std::uint32_t>(narrow(Type::f32, f(widen(Type::f32, flush(f32_format, a, ftz))), ftz));
}

// The operand of the f64 approximations: its lower 32 bits do not count, subnormals are zeros.
std::uint64_t upper_half(std::uint64_t a) { return flush(f64_format, a, true) & 0xffffffff00000000; }

// Rounds to the 20 fraction bits of the upper half and flushes.
std::uint64_t to_upper_half(std::uint64_t bits) {
  if (is_nan(f64_format, bits)) return 0x7fffffff00000000;
  return flush(f64_format, static_cast<std::uint64_t>(round_shift(bits, 32, false, false, Rounding::rn)) << 32, true);
}

}  // namespace

std::uint32_t approximate_rcp(std::uint32_t a, bool ftz) {
  FloatMode mode;
  mode.ftz = ftz;
  return static_cast<std::uint32_t>(float_rcp(f32_format, a, mode));
}

std::uint32_t approximate_sqrt(std::uint32_t a, bool ftz) {
  FloatMode mode;
  mode.ftz = ftz;
  return static_cast<std::uint32_t>(float_sqrt(f32_format, a, mode));
}

std::uint32_t approximate_rsqrt(std::uint32_t a, bool ftz) {
  return through_double(a, ftz, [](double x) { return x == 0 ? std::copysign(infinity, x) : 1 / std::sqrt(x); });
}

std::uint32_t approximate_sin(std::uint32_t a, bool ftz) {
  return through_double(a, ftz, [](double x) { return std::sin(x); });
}

std::uint32_t approximate_cos(std::uint32_t a, bool ftz) {
  return through_double(a, ftz, [](double x) { return std::cos(x); });
}

std::uint32_t approximate_lg2(std::uint32_t a, bool ftz) {
  return through_double(a, ftz, [](double x) { return x == 0 ? -infinity : std::log2(x); });
}

std::uint32_t approximate_ex2(std::uint32_t a, bool ftz) {
  return through_double(a, ftz, [](double x) { return std::exp2(x); });
}

std::uint32_t approximate_tanh(std::uint32_t a) {
  return through_double(a, false, [](double x) { return std::tanh(x); });
}

std::uint32_t approximate_div(std::uint32_t a, std::uint32_t b, bool ftz) {
  const double divisor = std::fabs(widen(Type::f32, b));
  if (divisor > 0x1p126 && divisor < infinity) {
    const bool numerator_infinite = is_infinite(f32_format, a), numerator_nan = is_nan(f32_format, a);
    if (numerator_infinite || numerator_nan) return static_cast<std::uint32_t>(f32_format.canonical_nan);
    return (a ^ b) & 0x80000000u;
  }
  return approximate_div_full(a, b, ftz);
}

std::uint32_t approximate_div_full(std::uint32_t a, std::uint32_t b, bool ftz) {
  FloatMode mode;
  mode.ftz = ftz;
  return static_cast<std::uint32_t>(float_div(f32_format, a, b, mode));
}

std::uint16_t approximate_ex2_half(Type type, std::uint16_t a, bool ftz) {
  const std::uint64_t operand = flush(format_of(type), a, ftz);
  return static_cast<std::uint16_t>(narrow(type, std::exp2(widen(type, operand)), ftz));
}

std::uint16_t approximate_tanh_half(Type type, std::uint16_t a) {
  return static_cast<std::uint16_t>(narrow(type, std::tanh(widen(type, a)), false));
}

std::uint64_t approximate_rcp_f64(std::uint64_t a) {
  if (is_nan(f64_format, a)) return to_upper_half(a);
  return to_upper_half(float_rcp(f64_format, upper_half(a), {}));
}

std::uint64_t approximate_rsqrt_f64(std::uint64_t a, bool ftz) {
  if (is_nan(f64_format, a)) return ftz ? to_upper_half(a) : a;
  const std::uint64_t operand = ftz ? upper_half(a) : a;
  if (is_zero(f64_format, operand)) return operand | f64_format.infinity();
  const double x = std::bit_cast<double>(operand);
  const double result = x < 0 ? std::bit_cast<double>(f64_format.canonical_nan) : 1 / std::sqrt(x);
  return ftz ? to_upper_half(std::bit_cast<std::uint64_t>(result)) : std::bit_cast<std::uint64_t>(result);
}

namespace {

ErrorBound ulps(double count) { return {.ulp = count, .holds = true}; }
ErrorBound relative(double error) { return {.relative = error, .holds = true}; }
ErrorBound absolute(double error) { return {.absolute = error, .holds = true}; }

ErrorBound sine_bound(double a) {
  const double magnitude = std::fabs(a);
  if (magnitude <= 2 * pi) return absolute(0x1p-20 * std::exp2(-0.5));
  if (magnitude <= 100 * pi) return absolute(0x1p-14 * std::exp2(-0.7));
  return {};
}

ErrorBound half_bound(const Instruction& inst) {
  const bool brain = element(inst.d.type) == Type::bf16;
  if (inst.opcode == Opcode::ex2) return relative(brain ? 0x1p-7 : std::exp2(-9.9));
  return absolute(brain ? 0x1p-8 : std::exp2(-10.987));
}

double exact_value(const Instruction& inst, double a, double b) {
  switch (inst.opcode) {
    case Opcode::rcp: return 1 / a;
    case Opcode::sqrt: return std::sqrt(a);
    case Opcode::rsqrt: return a == 0 ? std::copysign(infinity, a) : 1 / std::sqrt(a);
    case Opcode::sin: return std::sin(a);
    case Opcode::cos: return std::cos(a);
    case Opcode::lg2: return a == 0 ? -infinity : std::log2(a);
    case Opcode::ex2: return std::exp2(a);
    case Opcode::tanh: return std::tanh(a);
    case Opcode::div: return a / b;
    default: throw Error(ErrorCode::internal, "not an approximate instruction");
  }
}

// The size of the last place of the format at |value|.
double last_place(Format format, double value) {
  const int exponent = value == 0 ? format.min_exponent() : std::max(std::ilogb(value), format.min_exponent());
  return std::ldexp(1.0, exponent - static_cast<int>(format.fraction_bits));
}

}  // namespace

ErrorBound stated_error(const Instruction& inst, double a, double b) {
  const Type type = element(inst.d.type);
  if (type == Type::f16 || type == Type::bf16) return half_bound(inst);
  const bool wide = type == Type::f64;
  const double magnitude = std::fabs(b);
  switch (inst.opcode) {
    case Opcode::rcp: return wide ? relative(std::exp2(-19.9)) : ulps(1);
    case Opcode::sqrt: return relative(0x1p-23 + 0x1p-24);
    case Opcode::rsqrt: return wide ? relative(0x1p-19) : relative(std::exp2(-22.4));
    case Opcode::sin:
    case Opcode::cos: return sine_bound(a);
    case Opcode::lg2: return a > 0.5 && a < 2 ? absolute(0x1p-22) : relative(0x1p-22);
    case Opcode::ex2: return relative(0x1p-22);
    case Opcode::tanh: return relative(0x1p-11);
    case Opcode::div:
      if (inst.d.approx && (magnitude < 0x1p-126 || magnitude > 0x1p126)) return {};
      return ulps(2);
    default: throw Error(ErrorCode::internal, "not an approximate instruction");
  }
}

bool within_bound(const Instruction& inst, std::uint64_t a, std::uint64_t b, std::uint64_t got) {
  const Type type = element(inst.d.type);
  const Format format = format_of(type);
  const bool ftz = inst.d.ftz;
  const double x = widen(type, flush(format, a, ftz)), y = widen(type, flush(format, b, ftz));
  const double value = exact_value(inst, x, y), result = widen(type, got);
  if (std::isnan(value)) return std::isnan(result);
  const ErrorBound bound = stated_error(inst, x, y);
  if (!bound.holds) return true;
  if (std::isinf(value)) return result == value;
  double slack = bound.absolute + bound.relative * std::fabs(value) + bound.ulp * last_place(format, value);
  const double least_normal = std::ldexp(1.0, format.min_exponent());
  if (ftz && std::fabs(value) - slack < least_normal && result == 0) return true;
  slack += std::fabs(value) < least_normal ? last_place(format, value) : 0;  // bounds are stated for normal results
  if (std::isinf(result)) return std::fabs(value) + slack >= std::ldexp(2.0 - last_place(format, 1.0), format.bias());
  return std::fabs(result - value) <= slack;
}

}  // namespace heddle::ptx::semantics
