// exp, exp2, exp10, expm1 and the hyperbolic functions built on them, in double precision.
#pragma once
#pragma clang system_header

#include "polynomials.h"

namespace __heddle {

// x = k ln 2 + r + low with |r| <= ln 2 / 2; low is what rounding r lost, for those who need it.
struct exp_parts_d {
  double r, low;
  i32 exponent;
};
__HEDDLE_MATH__ exp_parts_d reduce_exp(double x) {
  double t = fma(x, 0x1.71547652b82fep+0, magic_d());
  double k = t - magic_d();
  double exact = fma(k, -0x1.62e42fefa3800p-1, x);
  double r = fma(k, -0x1.ef35793c76730p-45, exact);
  return {r, fma(k, -0x1.ef35793c76730p-45, exact - r), magic_int(t)};
}

// e^r as a sum of two, for |r| <= ln 2 / 2.
__HEDDLE_MATH__ pair_d exp_near(double r) { return fast_two_sum(1.0, fma(r * r, poly::exp_tail(r), r)); }

// e^(x + low) 2^shift, for |low| far below |x|.
__HEDDLE_MATH__ double exp_shifted(double x, double low, i32 shift) {
  exp_parts_d p = reduce_exp(limit(x, -750.0, 720.0));
  double r = p.r + low;
  return scale(1.0 + fma(r * r, poly::exp_tail(r), r), p.exponent + shift);
}
__HEDDLE_MATH__ double exp(double x) { return exp_shifted(x, 0.0, 0); }

__HEDDLE_MATH__ double exp2(double x) {
  double v = limit(x, -1080.0, 1030.0);
  double t = v + magic_d();
  double r = v - (t - magic_d());
  return scale(fma(r, poly::exp2_tail(r), 1.0), magic_int(t));
}

__HEDDLE_MATH__ double exp10(double x) {
  double v = limit(x, -330.0, 310.0);
  double t = fma(v, 0x1.a934f0979a371p+1, magic_d());
  double k = t - magic_d();
  double exact = fma(k, -0x1.34413509f6000p-2, v);
  double r = fma(k, -0x1.9fef311f12b36p-42, exact);
  double low = fma(k, -0x1.9fef311f12b36p-42, exact - r);
  // 10^r = e^(r ln 10).
  pair_d p = two_product(r, 0x1.26bb1bbb55516p+1);
  p.lo += fma(r, -0x1.f48ad494ea3e9p-53, low * 0x1.26bb1bbb55516p+1);
  return scale(1.0 + (p.hi + fma(p.hi * p.hi, poly::exp_tail(p.hi), p.lo)), magic_int(t));
}

__HEDDLE_MATH__ double expm1(double x) {
  exp_parts_d p = reduce_exp(limit(x, -40.0, 710.0));
  // e^r - 1 as a sum of two, since 2^k - 1 may cancel most of it; half of everything, since 2^k may overflow alone.
  double tail = p.r * p.r * poly::exp_tail(p.r);
  double m = p.r + tail;
  double rest = tail - (m - p.r) + fma(p.low, p.r, p.low);
  double half = power_d(p.exponent - 1);
  double offset = half - 0.5;
  pair_d sum = fast_two_sum(offset, half * m);
  double y = sum.hi + fma(half, rest, sum.lo + ((half - offset) - 0.5));
  y = y + y;
  return p.exponent == 0 ? (x == 0.0 ? x : m) : y;
}

__HEDDLE_MATH__ double sinh(double x) {
  double a = abs(x);
  double z = a * a;
  double small = fma(a * z, poly::sinh_tail(z), a);
  double e = exp_shifted(a, 0.0, -1);
  double large = e - 0.25 / e;
  return copysign(a < 1.0 ? small : large, x);
}

__HEDDLE_MATH__ double cosh(double x) {
  exp_parts_d p = reduce_exp(limit(abs(x), 0.0, 720.0));
  pair_d e = exp_near(p.r);
  // Halves, since e^x may overflow alone; beyond 2^30 its reciprocal is nothing beside it.
  double inverse = p.exponent < 60 ? 0.5 / e.hi * power_d(-p.exponent) : 0.0;
  double unit = power_d(p.exponent < 60 ? p.exponent - 1 : 0);
  double y = e.hi * unit + fma(e.lo, unit, inverse);
  return is_nan(x) ? x : (p.exponent < 60 ? y : scale(y, p.exponent - 1));
}

__HEDDLE_MATH__ double tanh(double x) {
  double a = abs(x);
  double z = a * a;
  double small = fma(a * z, poly::tanh_tail(z), a);
  // 1 - 2 / (e^2a + 1), with the quotient as a sum of two. From 20 on it is nothing beside 1.
  exp_parts_d p = reduce_exp(limit(a + a, 0.0, 40.0));
  pair_d e = exp_near(p.r);
  double unit = power_d(p.exponent);
  pair_d d = fast_two_sum(e.hi * unit, 1.0);
  d.lo = fma(e.lo, unit, d.lo);
  double q = 2.0 / d.hi;
  double q_low = 0.5 * q * fma(-q, d.lo, fma(-q, d.hi, 2.0));
  pair_d y = fast_two_sum(1.0, -q);
  double large = y.hi + (y.lo - q_low);
  return is_nan(x) ? x : copysign(a < 0.55 ? small : large, x);
}

}  // namespace __heddle
