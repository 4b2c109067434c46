// log, log2, log10, log1p, the inverse hyperbolic functions and pow, in single precision.
#pragma once
#pragma clang system_header

#include "exponential_f.h"

namespace __heddle {

// x = 2^e (1 + f) with 1 + f in [2/3, 4/3), for positive finite x.
struct log_parts_f {
  float e, f;
};
__HEDDLE_MATH__ log_parts_f reduce_log(float x) {
  bool small = x < 0x1p-126f;
  u32 i = bits(small ? x * 0x1p23f : x) - 0x3f2aaaabu;
  i32 e = static_cast<i32>(i) >> 23;
  float m = from_bits((i & 0x007fffffu) + 0x3f2aaaabu);
  return {static_cast<float>(e) - (small ? 23.0f : 0.0f), m - 1.0f};
}

// log(1 + f) - f.
__HEDDLE_MATH__ float log_rest(float f) { return f * f * fma(f, poly::log_tail_f(f), -0.5f); }

// The value where x is not positive and finite, else y.
__HEDDLE_MATH__ float log_special(float x, float y) {
  y = x == infinity_f() ? x : y;
  y = x == 0.0f ? -infinity_f() : y;
  return x >= 0.0f ? y : (x < 0.0f ? nan_f() : x);
}

__HEDDLE_MATH__ float log(float x) {
  log_parts_f p = reduce_log(x);
  return log_special(x, fma(p.e, 0x1.62e430p-1f, p.f + log_rest(p.f)));
}

// One term after the other is added to e, with what rounding lost: e + (f - f^2 / 2 + f^3 p) log2(e).
__HEDDLE_MATH__ float log2(float x) {
  log_parts_f p = reduce_log(x);
  float square = p.f * p.f, half = -0.5f * square;
  float cube = p.f * square * poly::log_tail_f(p.f);
  float first = fma(p.f, 0x1.715476p+0f, p.e);
  float low = fma(p.f, 0x1.715476p+0f, p.e - first);
  float second = fma(half, 0x1.715476p+0f, first);
  low += fma(half, 0x1.715476p+0f, first - second);
  float square_low = fma(p.f, p.f, -square);
  low += fma(p.f, 0x1.4ae0c0p-26f, fma(-0.5f, square_low, cube) * 0x1.715476p+0f);
  return log_special(x, second + low);
}

__HEDDLE_MATH__ float log10(float x) {
  log_parts_f p = reduce_log(x);
  float low = fma(p.f, -0x1.5b235ep-27f, log_rest(p.f) * 0x1.bcb7b2p-2f);
  // The product with the short part of log10(2) is exact.
  float large = p.e * 0x1.344000p-2f;
  float sum = fma(p.f, 0x1.bcb7b2p-2f, large);
  low += fma(p.f, 0x1.bcb7b2p-2f, large - sum);
  return log_special(x, sum + fma(p.e, 0x1.3509f8p-18f, low));
}

__HEDDLE_MATH__ float log1p(float x) {
  float u = 1.0f + x;
  u32 i = (bits(u) - 0x3f2aaaabu) & 0xff800000u;
  i32 e = static_cast<i32>(i) >> 23;
  // f = (1 + x) 2^-e - 1 from x itself, with what rounding lost; the scale is four times too big so as not to underflow.
  float s = from_bits(0x40800000u - i);
  float offset = fma(0.25f, s, -1.0f);
  float f = fma(0.25f, x * s, offset);
  float low = fma(0.25f, x * s, offset - f);
  // e ln 2 + f, with what rounding lost; the product with the short part of ln 2 is exact.
  float k = static_cast<float>(e), large = k * 0x1.62e400p-1f;
  float sum = large + f;
  float y = sum + ((f - (sum - large)) + fma(k, 0x1.7f7d1cp-20f, log_rest(f) + fma(-low, f, low)));
  y = x == infinity_f() || x == 0.0f ? x : y;
  y = x == -1.0f ? -infinity_f() : y;
  return x >= -1.0f ? y : (x < -1.0f ? nan_f() : x);
}

__HEDDLE_MATH__ float asinh(float x) {
  float a = abs(x);
  bool huge = a > 0x1p30f;
  float u = a + a * a / (1.0f + sqrt(fma(a, a, 1.0f)));
  float y = log1p(huge ? a : u) + (huge ? 0x1.62e430p-1f : 0.0f);
  return copysign(y, x);
}

__HEDDLE_MATH__ float acosh(float x) {
  float t = x - 1.0f;
  bool huge = x > 0x1p30f;
  float u = t + sqrt(fma(t, t, 2.0f * t));
  float y = log1p(huge ? x : u) + (huge ? 0x1.62e430p-1f : 0.0f);
  return x < 1.0f ? nan_f() : y;
}

__HEDDLE_MATH__ float atanh(float x) {
  float a = abs(x);
  return copysign(0.5f * log1p(2.0f * a / (1.0f - a)), x);
}

// log2(x) for positive finite x to 2^-34, in double precision.
__HEDDLE_MATH__ double log2_wide(float x) {
  log_parts_f p = reduce_log(x);
  double f = p.f;
  return fma(f, poly::log2_short(f), static_cast<double>(p.e));
}

// The sign and the special cases of |x|^y = `result`.
__HEDDLE_MATH__ float pow_special(float x, float y, float result) {
  float a = abs(x), half = y * 0.5f;
  bool integer = trunc(y) == y;
  // An odd integer is below 2^24, and halving it leaves a half.
  bool odd = integer && abs(y) < 0x1p24f && trunc(half) != half;
  float negative = integer || a == 0.0f || a == infinity_f() ? copysign(result, odd ? -1.0f : 1.0f) : nan_f();
  result = bits(x) >> 31 ? negative : result;
  result = is_nan(x) || is_nan(y) ? x + y : result;
  bool one = x == 1.0f || y == 0.0f || (x == -1.0f && abs(y) == infinity_f());
  return one ? 1.0f : result;
}

__HEDDLE_MATH__ float pow(float x, float y) {
  float a = abs(x);
  double t = log2_wide(a) * static_cast<double>(y);
  t = a == 0.0f ? (y < 0.0f ? 200.0 : -200.0) : t;
  t = a == infinity_f() ? (y < 0.0f ? -200.0 : 200.0) : t;
  t = abs(y) == infinity_f() ? ((a > 1.0f) == (y > 0.0f) ? 200.0 : -200.0) : t;
  t = limit(t, -200.0, 200.0);
  double rounded = t + magic_d();
  double r = t - (rounded - magic_d());
  return pow_special(x, y, static_cast<float>(poly::exp2_short(r) * power_d(magic_int(rounded))));
}

}  // namespace __heddle
