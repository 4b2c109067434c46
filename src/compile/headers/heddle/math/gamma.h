// lgamma and tgamma, in both precisions.
#pragma once
#pragma clang system_header

#include "logarithm_d.h"
#include "trigonometry_d.h"

namespace __heddle {

// lgamma(x) for x >= 8.
__HEDDLE_MATH__ double lgamma_large(double x) {
  double inverse = 1.0 / x;
  double rest = fma(poly::stirling(inverse * inverse), inverse, 0x1.d67f1c864beb5p-1);
  // (x - 1/2) log x - x = (x - 1/2) (log x - 1) - 1/2: overflows only where the result does.
  return fma(x - 0.5, log(x) - 1.0, rest - 0.5);
}

__HEDDLE_MATH__ double lgamma_positive(double x) {
  if (x >= 8.0) return lgamma_large(x);
  if (x >= 3.0) return poly::lgamma_five(x - 5.5);
  // Where the result is 0, as 0 times a negative number would be -0.
  if (x == 1.0 || x == 2.0) return 0.0;
  if (x >= 1.5) return (x - 2.0) * poly::lgamma_two(x - 2.0);
  if (x >= 0.7) return (x - 1.0) * poly::lgamma_one(x - 1.0);
  // lgamma(x) = lgamma(1 + x) - log(x); 1 + x is 1 or 2 plus something exactly known.
  double next = x < 0.5 ? x * poly::lgamma_one(x) : (x - 1.0) * poly::lgamma_two(x - 1.0);
  return next - log(x);
}

__HEDDLE_MATH__ double lgamma(double x) {
  double a = abs(x);
  if (a < 1e-20) return -log(a);
  double y = lgamma_positive(a);
  if (x < 0.0) {
    // Reflection: Gamma(x) Gamma(-x) = -pi / (x sin(pi x)). From 2^52 on every number is an integer, and a pole.
    double s = abs(sinpi(x));
    y = log(0x1.921fb54442d18p+1 / (s * a)) - y;
    y = a >= 0x1p52 || trunc(x) == x ? infinity_d() : y;
  }
  y = a == infinity_d() ? a : y;
  return is_nan(x) ? x : y;
}
__HEDDLE_MATH__ float lgamma(float x) { return static_cast<float>(lgamma(static_cast<double>(x))); }

// tgamma(x) for x >= 8 as a product of two that overflows only where the result does.
__HEDDLE_MATH__ pair_d tgamma_large(double x) {
  double v = x > 200.0 ? 200.0 : x;
  double half = pow_positive(v, 0.5 * v - 0.25);
  return {half, half * exp_shifted(-v, 0.0, 0) * poly::gamma_stirling(1.0 / v)};
}

// tgamma(x) for 0 < x < 8, through tgamma(x + 1) = x tgamma(x).
__HEDDLE_MATH__ double tgamma_small(double x) {
  double product = 1.0, divisor = 1.0, v = x;
  while (v > 2.5) {
    v -= 1.0;
    product *= v;
  }
  while (v < 1.5) {
    divisor *= v;
    v += 1.0;
  }
  return product * poly::gamma_two(v - 2.0) / divisor;
}

__HEDDLE_MATH__ double tgamma(double x) {
  double a = abs(x);
  pair_d g{1.0, 0.0};
  if (a >= 8.0) {
    g = tgamma_large(a);
  } else if (a > 1e-20) {
    g.lo = tgamma_small(a);
  } else {
    return 1.0 / x;
  }
  double y = g.hi * g.lo;
  if (x < 0.0) {
    // Reflection: Gamma(x) = -pi / (a sin(pi a) Gamma(a)), by the product's two factors one after the other.
    y = -0x1.921fb54442d18p+1 / (a * sinpi(a) * g.hi) / g.lo;
    y = trunc(x) == x ? nan_d() : y;
  }
  return is_nan(x) ? x : y;
}
__HEDDLE_MATH__ float tgamma(float x) { return static_cast<float>(tgamma(static_cast<double>(x))); }

}  // namespace __heddle
