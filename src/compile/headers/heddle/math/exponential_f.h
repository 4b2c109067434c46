// exp, exp2, exp10, expm1 and the hyperbolic functions built on them, in single precision.
#pragma once
#pragma clang system_header

#include "polynomials.h"

namespace __heddle {

// x = k ln 2 + r + low with |r| <= ln 2 / 2; low is what rounding r lost, for those who need it.
struct exp_parts_f {
  float r, low;
  i32 exponent;
};
__HEDDLE_MATH__ exp_parts_f reduce_exp(float x) {
  float t = fma(x, 0x1.715476p+0f, magic_f());
  float k = t - magic_f();
  float exact = fma(k, -0x1.62e400p-1f, x);
  float r = fma(k, -0x1.7f7d1cp-20f, exact);
  return {r, fma(k, -0x1.7f7d1cp-20f, exact - r), magic_int(t)};
}

// e^x 2^shift.
__HEDDLE_MATH__ float exp_shifted(float x, i32 shift) {
  exp_parts_f p = reduce_exp(limit(x, -105.0f, 90.0f));
  float y = 1.0f + fma(p.r * p.r, poly::exp_tail_f(p.r), p.r);
  return scale(y, p.exponent + shift);
}
__HEDDLE_MATH__ float exp(float x) { return exp_shifted(x, 0); }

__HEDDLE_MATH__ float exp2(float x) {
  float v = limit(x, -151.0f, 129.0f);
  float t = v + magic_f();
  float r = v - (t - magic_f());
  return scale(fma(r, poly::exp2_tail_f(r), 1.0f), magic_int(t));
}

__HEDDLE_MATH__ float exp10(float x) {
  float v = limit(x, -46.0f, 39.0f);
  float t = fma(v, 0x1.a934f0p+1f, magic_f());
  float k = t - magic_f();
  float r = fma(k, -0x1.344000p-2f, v);
  r = fma(k, -0x1.3509f8p-18f, r);
  return scale(fma(r, poly::exp10_tail_f(r), 1.0f), magic_int(t));
}

__HEDDLE_MATH__ float expm1(float x) {
  float v = limit(x, -20.0f, 89.0f);
  exp_parts_f p = reduce_exp(v);
  // Where k is 0 the reduction changes nothing. e^r - 1 as a sum of two, since 2^k - 1 may cancel most of it.
  float square = p.r * p.r;
  float tail = square * poly::exp_tail_f(p.r);
  float m = p.r + tail;
  float rest = tail - (m - p.r) + fma(p.low, p.r, p.low);
  // 2^k may overflow where the result does not: half of it, doubled at the end.
  float half = power_f(p.exponent - 1);
  float offset = half - 0.5f, part = half * m;
  float sum = offset + part;
  float y = sum + fma(half, rest, (part - (sum - offset)) + ((half - offset) - 0.5f));
  y = y + y;
  return p.exponent == 0 ? (x == 0.0f ? x : m) : y;
}

__HEDDLE_MATH__ float sinh(float x) {
  float a = abs(x);
  float z = a * a;
  float small = fma(a * z, poly::sinh_tail_f(z), a);
  float e = exp_shifted(a, -1);
  float large = e - 0.25f / e;
  return copysign(a < 1.0f ? small : large, x);
}

__HEDDLE_MATH__ float cosh(float x) {
  float e = exp_shifted(abs(x), -1);
  return e + 0.25f / e;
}

__HEDDLE_MATH__ float tanh(float x) {
  float a = abs(x);
  float z = a * a;
  float small = fma(a * z, poly::tanh_tail_f(z), a);
  float large = 1.0f - 2.0f / (exp_shifted(a + a, 0) + 1.0f);
  return copysign(a < 0.55f ? small : large, x);
}

}  // namespace __heddle
