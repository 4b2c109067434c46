// log, log2, log10, log1p, the inverse hyperbolic functions and pow, in double precision.
#pragma once
#pragma clang system_header

#include "exponential_d.h"

namespace __heddle {

// x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for positive finite x.
struct log_parts_d {
  double e, f;
};
__HEDDLE_MATH__ log_parts_d reduce_log(double x) {
  bool small = x < 0x1p-1022;
  u64 i = bits(small ? x * 0x1p54 : x) - 0x3fe6a09e667f3bcdull;
  i32 e = static_cast<i32>(i >> 32) >> 20;
  double m = from_bits((i & 0xfffffffffffffull) + 0x3fe6a09e667f3bcdull);
  return {static_cast<double>(e) - (small ? 54.0 : 0.0), m - 1.0};
}

__HEDDLE_MATH__ double log_special(double x, double y) {
  y = x == infinity_d() ? x : y;
  y = x == 0.0 ? -infinity_d() : y;
  return x >= 0.0 ? y : (x < 0.0 ? nan_d() : x);
}

// e ln 2 + log(1 + f + low), where low is a correction far below f.
__HEDDLE_MATH__ double log_of_parts(double e, double f, double low) {
  double s = f / (2.0 + f);
  double z = s * s;
  double half = 0.5 * f * f;
  double rest = fma(s, fma(z, poly::log_tail(z), half), fma(e, 0x1.ef35793c76730p-45, low));
  return fma(e, 0x1.62e42fefa3800p-1, f - (half - rest));
}

__HEDDLE_MATH__ double log(double x) {
  log_parts_d p = reduce_log(x);
  return log_special(x, log_of_parts(p.e, p.f, 0.0));
}

// log(1 + f) as a sum of two, to 2^-64 relatively or so.
__HEDDLE_MATH__ pair_d log_pair(double f) {
  double d = 2.0 + f, d_low = f - (d - 2.0);
  double inverse = 1.0 / d;
  double s = f * inverse;
  double s_low = (fma(-s, d, f) - s * d_low) * inverse;
  pair_d z = two_product(s, s);
  z.lo = fma(2.0 * s, s_low, z.lo);
  pair_d cube = two_product(z.hi, s);
  cube.lo += fma(z.hi, s_low, z.lo * s);
  pair_d third = two_product(cube.hi, 0x1.5555555555555p-1);
  third.lo += fma(cube.lo, 0x1.5555555555555p-1, cube.hi * 0x1.5555555555555p-55);
  double rest = cube.hi * z.hi * poly::log_tail5(z.hi);
  pair_d sum = fast_two_sum(2.0 * s, third.hi);
  sum.lo += 2.0 * s_low + (third.lo + rest);
  return fast_two_sum(sum.hi, sum.lo);
}

// (e + log(1 + f) c) with c = hi + lo: logarithms to other bases.
__HEDDLE_MATH__ pair_d scale_pair(pair_d a, double hi, double lo) {
  pair_d p = two_product(a.hi, hi);
  p.lo += fma(a.hi, lo, a.lo * hi);
  return p;
}

__HEDDLE_MATH__ double log2(double x) {
  log_parts_d p = reduce_log(x);
  pair_d l = scale_pair(log_pair(p.f), 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56);
  pair_d sum = p.e == 0.0 ? l : fast_two_sum(p.e, l.hi);
  return log_special(x, sum.hi + (p.e == 0.0 ? sum.lo - l.lo + l.lo : sum.lo + l.lo));
}

__HEDDLE_MATH__ double log10(double x) {
  log_parts_d p = reduce_log(x);
  pair_d l = scale_pair(log_pair(p.f), 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
  // The product with the short part of log10(2) is exact.
  double e = p.e * 0x1.34413509f6000p-2;
  pair_d sum = fast_two_sum(e, l.hi);
  return log_special(x, sum.hi + (sum.lo + fma(p.e, 0x1.9fef311f12b36p-42, l.lo)));
}

__HEDDLE_MATH__ double log1p(double x) {
  double u = 1.0 + x;
  u64 i = bits(u) - 0x3fe6a09e667f3bcdull;
  i32 e = static_cast<i32>(i >> 32) >> 20;
  // f = (1 + x) 2^-e - 1 from x itself, with what rounding lost; the scale is four times too big so as not to underflow.
  double s = from_bits(0x4010000000000000ull - (static_cast<u64>(static_cast<u32>(e)) << 52));
  double offset = fma(0.25, s, -1.0), part = x * s * 0.25;
  double f = part + offset;
  // The larger of the two summands is the one to subtract first.
  double low = abs(part) > abs(offset) ? offset - (f - part) : part - (f - offset);
  double y = log_of_parts(static_cast<double>(e), f, low / (1.0 + f));
  y = x == infinity_d() || x == 0.0 ? x : y;
  y = x == -1.0 ? -infinity_d() : y;
  return x >= -1.0 ? y : (x < -1.0 ? nan_d() : x);
}

__HEDDLE_MATH__ double asinh(double x) {
  double a = abs(x);
  bool huge = a > 0x1p60;
  double u = a + a * a / (1.0 + sqrt(fma(a, a, 1.0)));
  double y = log1p(huge ? a : u) + (huge ? 0x1.62e42fefa39efp-1 : 0.0);
  return copysign(y, x);
}

__HEDDLE_MATH__ double acosh(double x) {
  double t = x - 1.0;
  bool huge = x > 0x1p60;
  double u = t + sqrt(fma(t, t, 2.0 * t));
  double y = log1p(huge ? x : u) + (huge ? 0x1.62e42fefa39efp-1 : 0.0);
  return x < 1.0 ? nan_d() : y;
}

__HEDDLE_MATH__ double atanh(double x) {
  double a = abs(x);
  return copysign(0.5 * log1p(2.0 * a / (1.0 - a)), x);
}

__HEDDLE_MATH__ double pow_special(double x, double y, double result) {
  double a = abs(x), half = y * 0.5;
  bool integer = trunc(y) == y;
  bool odd = integer && abs(y) < 0x1p53 && trunc(half) != half;
  double negative = integer || a == 0.0 || a == infinity_d() ? copysign(result, odd ? -1.0 : 1.0) : nan_d();
  result = bits(x) >> 63 ? negative : result;
  result = is_nan(x) || is_nan(y) ? x + y : result;
  bool one = x == 1.0 || y == 0.0 || (x == -1.0 && abs(y) == infinity_d());
  return one ? 1.0 : result;
}

// a^y for positive finite a; y log a is kept as a sum of two up to the exponential.
__HEDDLE_MATH__ double pow_positive(double a, double y) {
  log_parts_d p = reduce_log(a);
  pair_d l = log_pair(p.f);
  double e = p.e * 0x1.62e42fefa3800p-1;
  pair_d sum = e == 0.0 ? l : fast_two_sum(e, l.hi);
  sum.lo = e == 0.0 ? l.lo : sum.lo + fma(p.e, 0x1.ef35793c76730p-45, l.lo);
  pair_d t = two_product(sum.hi, y);
  t.lo = fma(sum.lo, y, t.lo);
  // Beyond these the result is 0 or infinite, and the low part may be no number.
  bool inside = abs(t.hi) < 1000.0;
  return exp_shifted(t.hi, inside ? t.lo : 0.0, 0);
}

__HEDDLE_MATH__ double pow(double x, double y) {
  double a = abs(x);
  bool zero = a == 0.0, infinite = a == infinity_d(), far = abs(y) > 0x1p70;
  double v = limit(y, -0x1p70, 0x1p70);
  double result = pow_positive(zero || infinite ? 2.0 : a, v);
  bool up = infinite || (far && a > 1.0 && !zero);
  bool grows = up == (y > 0.0);
  result = zero || infinite || (far && a != 1.0) ? (grows ? infinity_d() : 0.0) : result;
  return pow_special(x, y, result);
}

}  // namespace __heddle
