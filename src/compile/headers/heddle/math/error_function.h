// erf, erfc, erfcx, their inverses, and the normal distribution, in both precisions.
#pragma once
#pragma clang system_header

#include "logarithm_d.h"
#include "logarithm_f.h"

namespace __heddle {

__HEDDLE_MATH__ float erf(float x) {
  float a = abs(x), z = a * a;
  float small = fma(a, poly::erf_tail_f(z), a);
  float large = 1.0f - exp(-poly::erf_exponent_f(limit(a, 0.0f, 3.93f)));
  return is_nan(x) ? x : copysign(a < 0.921875f ? small : large, x);
}

// (1 + 2 a) erfcx(a), for a >= 0.
__HEDDLE_MATH__ float erfcx_scaled(float a) {
  return poly::erfcx_mapped_f((limit(a, 0.0f, 1.0e5f) - 2.0f) / (limit(a, 0.0f, 1.0e5f) + 2.0f));
}
__HEDDLE_MATH__ double erfcx_scaled(double a) {
  double v = limit(a, 0.0, 1.0e17);
  return poly::erfcx_mapped((v - 4.0) / (v + 4.0));
}
// exp(-a^2), with the square as a sum of two.
__HEDDLE_MATH__ float exp_of_square(float a) {
  float v = limit(a, 0.0f, 12.0f), h = v * v;
  float e = exp(-h);
  return fma(e, -fma(v, v, -h), e);
}
__HEDDLE_MATH__ double exp_of_square(double a) {
  pair_d s = two_product(limit(a, 0.0, 30.0), limit(a, 0.0, 30.0));
  return exp_shifted(-s.hi, -s.lo, 0);
}

// Near 0 the mapped argument has lost too much, and 1 - erf(a) nothing.
__HEDDLE_MATH__ float erfc_small(float a) { return 1.0f - fma(a, poly::erf_tail_f(a * a), a); }
__HEDDLE_MATH__ double erfc_small(double a) { return 1.0 - fma(a, poly::erf_tail(a * a), a); }

__HEDDLE_MATH__ float erfc(float x) {
  float a = abs(x);
  float y = erfcx_scaled(a) / fma(2.0f, limit(a, 0.0f, 12.0f), 1.0f) * exp_of_square(a);
  y = a < 0.5f ? erfc_small(a) : y;
  return x < 0.0f ? 2.0f - y : y;
}
__HEDDLE_MATH__ double erfc(double x) {
  double a = abs(x);
  double y = erfcx_scaled(a) / fma(2.0, limit(a, 0.0, 30.0), 1.0) * exp_of_square(a);
  y = a < 0.5 ? erfc_small(a) : y;
  return x < 0.0 ? 2.0 - y : y;
}
__HEDDLE_MATH__ double erf(double x) {
  double a = abs(x), z = a * a;
  double small = fma(a, poly::erf_tail(z), a);
  double large = 1.0 - erfcx_scaled(a) / fma(2.0, limit(a, 0.0, 30.0), 1.0) * exp_of_square(a);
  return is_nan(x) ? x : copysign(a < 0.92 ? small : large, x);
}

__HEDDLE_MATH__ double erfcx(double x) {
  double a = abs(x);
  pair_d s = two_product(limit(a, 0.0, 30.0), limit(a, 0.0, 30.0));
  double grown = exp_shifted(s.hi, s.lo, 0);
  double y = erfcx_scaled(a) / fma(2.0, limit(a, 0.0, 0x1p1000), 1.0);
  y = a < 0.5 ? erfc_small(a) * grown : y;
  // Far out erfcx(a) = 1 / (a sqrt(pi)).
  y = a > 1.0e10 ? 0x1.20dd750429b6dp-1 / a : y;
  return x < 0.0 ? 2.0 * grown - y : y;
}
__HEDDLE_MATH__ float erfcx(float x) { return static_cast<float>(erfcx(static_cast<double>(x))); }

// Phi(x) = erfc(-x / sqrt(2)) / 2; the exponential takes x^2 / 2 itself, so that the rounding of x / sqrt(2) does not grow.
__HEDDLE_MATH__ double normcdf(double x) {
  double v = limit(abs(x), 0.0, 40.0);
  double a = v * 0x1.6a09e667f3bcdp-1;
  pair_d s = two_product(v, 0.5 * v);
  double y = 0.5 * (erfcx_scaled(a) / fma(2.0, a, 1.0)) * exp_shifted(-s.hi, -s.lo, 0);
  y = a < 0.5 ? 0.5 * erfc_small(a) : y;
  return x > 0.0 ? 1.0 - y : y;
}
__HEDDLE_MATH__ float normcdf(float x) { return static_cast<float>(normcdf(static_cast<double>(x))); }

// erfinv(x) where w = -log(1 - x^2): x times a function of w.
__HEDDLE_MATH__ double erfinv_of(double x, double w) {
  double s = sqrt(w);
  double p;
  if (w < 6.25) {
    p = poly::erfinv_center(w - 3.125);
  } else if (s < 4.0) {
    p = poly::erfinv_middle(s - 3.25);
  } else if (s < 8.0) {
    p = poly::erfinv_far(s - 6.0);
  } else {
    p = poly::erfinv_tail(s - 17.7);
  }
  return x * p;
}
__HEDDLE_MATH__ double erfinv(double x) {
  double a = abs(x);
  double y = erfinv_of(x, -log((1.0 - a) * (1.0 + a)));
  y = a == 1.0 ? copysign(infinity_d(), x) : y;
  return a > 1.0 ? nan_d() : y;
}
__HEDDLE_MATH__ double erfcinv(double x) {
  double y = erfinv_of(1.0 - x, -log(x * (2.0 - x)));
  y = x == 0.0 ? infinity_d() : (x == 2.0 ? -infinity_d() : y);
  return x < 0.0 || x > 2.0 ? nan_d() : y;
}
// -sqrt(2) erfcinv(2 x), without the doubling: 2 x may lose nothing, but x (1 - x) is exact enough as it is.
__HEDDLE_MATH__ double normcdfinv(double x) {
  double y = erfinv_of(1.0 - 2.0 * x, -log(4.0 * x * (1.0 - x))) * -0x1.6a09e667f3bcdp+0;
  y = x == 0.0 ? -infinity_d() : (x == 1.0 ? infinity_d() : y);
  return x < 0.0 || x > 1.0 ? nan_d() : y;
}
__HEDDLE_MATH__ float erfinv(float x) { return static_cast<float>(erfinv(static_cast<double>(x))); }
__HEDDLE_MATH__ float erfcinv(float x) { return static_cast<float>(erfcinv(static_cast<double>(x))); }
__HEDDLE_MATH__ float normcdfinv(float x) { return static_cast<float>(normcdfinv(static_cast<double>(x))); }

}  // namespace __heddle
