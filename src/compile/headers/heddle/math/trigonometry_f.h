// sin, cos, tan, their inverses, and sinpi, cospi, in single precision.
#pragma once
#pragma clang system_header

#include "large_argument.h"

namespace __heddle {

// x = q pi/2 + r with |r| <= pi/4 (a little more near the ends). NaN and infinity give r = NaN.
struct quadrant_f {
  float r;
  u32 q;
};
__HEDDLE_MATH__ quadrant_f reduce_trig(float x) {
  float t = fma(x, 0x1.45f306p-1f, magic_f());
  float k = t - magic_f();
  float r = fma(k, -0x1.921fb6p+0f, x);
  r = fma(k, 0x1.777a5cp-25f, r);
  r = fma(k, 0x1.ee59dap-50f, r);
  quadrant_f result{r, bits(t)};
  // Three parts of pi/2 are enough below this.
  if (!(abs(x) < 100000.0f)) {
    u64 packed = reduce_large(x);
    result = {from_bits(static_cast<u32>(packed)), static_cast<u32>(packed >> 32)};
  }
  return result;
}

__HEDDLE_MATH__ float sin_near(float r) {
  float z = r * r;
  return fma(r * z, poly::sin_tail_f(z), r);
}
__HEDDLE_MATH__ float cos_near(float r) {
  float z = r * r;
  return fma(z, poly::cos_tail_f(z), 1.0f);
}
// cos(r) where `cosine`, else sin(r): one polynomial whose coefficients are selected, since lanes differ in this.
__HEDDLE_MATH__ float sin_or_cos(float r, bool cosine) {
  float z = r * r, first = cosine ? 1.0f : r;
  return fma(first * z, poly::sin_cos_tail_f(z, cosine), first);
}

__HEDDLE_MATH__ float sin(float x) {
  quadrant_f p = reduce_trig(x);
  float y = flip_sign(sin_or_cos(p.r, p.q & 1), p.q & 2, 1);
  return x == 0.0f ? x : y;
}
__HEDDLE_MATH__ float cos(float x) {
  quadrant_f p = reduce_trig(x);
  return flip_sign(sin_or_cos(p.r, !(p.q & 1)), (p.q + 1) & 2, 1);
}
__HEDDLE_MATH__ void sincos(float x, float* s, float* c) {
  quadrant_f p = reduce_trig(x);
  float sine = sin_near(p.r), cosine = cos_near(p.r);
  float y = flip_sign(p.q & 1 ? cosine : sine, p.q & 2, 1);
  *s = x == 0.0f ? x : y;
  *c = flip_sign(p.q & 1 ? sine : cosine, (p.q + 1) & 2, 1);
}

__HEDDLE_MATH__ float tan(float x) {
  quadrant_f p = reduce_trig(x);
  float z = p.r * p.r;
  float t = fma(p.r * z, poly::tan_tail_f(z), p.r);
  float y = p.q & 1 ? -1.0f / t : t;
  return x == 0.0f ? x : y;
}

// x = q / 2 + r exactly, |r| <= 1/4; all x from 2^23 on are integers, and even from 2^24 on.
__HEDDLE_MATH__ quadrant_f reduce_pi(float x) {
  float v = abs(x) < 0x1p24f ? x : x * 0.0f;
  float k = rint(v + v);
  return {fma(-0.5f, k, v), static_cast<u32>(static_cast<i32>(is_nan(k) ? 0.0f : k))};
}
__HEDDLE_MATH__ float sinpi_near(float r) {
  float z = r * r;
  return fma(r, 0x1.921fb6p+1f, fma(r, -0x1.777a5cp-24f, r * z * poly::sinpi_tail_f(z)));
}
__HEDDLE_MATH__ float cospi_near(float r) {
  float z = r * r;
  return fma(z, poly::cospi_tail_f(z), 1.0f);
}
__HEDDLE_MATH__ float sinpi(float x) {
  quadrant_f p = reduce_pi(x);
  float y = flip_sign(p.q & 1 ? cospi_near(p.r) : sinpi_near(p.r), p.q & 2, 1);
  return y == 0.0f ? copysign(y, x) : y;
}
__HEDDLE_MATH__ float cospi(float x) {
  quadrant_f p = reduce_pi(x);
  float y = flip_sign(p.q & 1 ? sinpi_near(p.r) : cospi_near(p.r), (p.q + 1) & 2, 1);
  return y == 0.0f ? 0.0f : y;
}
__HEDDLE_MATH__ void sincospi(float x, float* s, float* c) {
  *s = sinpi(x);
  *c = cospi(x);
}

// asin of s where s = |x| up to 1/2, or sqrt((1 - |x|) / 2) above; the result is s + rest.
struct asin_parts_f {
  float s, rest;
  bool big;
};
__HEDDLE_MATH__ asin_parts_f asin_near(float a) {
  bool big = a > 0.5f;
  float z = big ? fma(-0.5f, a, 0.5f) : a * a;
  float s = big ? sqrt(z) : a;
  return {s, s * z * poly::asin_tail_f(z), big};
}
__HEDDLE_MATH__ float asin(float x) {
  asin_parts_f p = asin_near(abs(x));
  float big = fma(-2.0f, p.s, 0x1.921fb6p+0f) - fma(2.0f, p.rest, 0x1.777a5cp-25f);
  return copysign(p.big ? big : p.s + p.rest, x);
}
__HEDDLE_MATH__ float acos(float x) {
  asin_parts_f p = asin_near(abs(x));
  bool negative = bits(x) >> 31;
  float angle = p.s + p.rest;
  float big = negative ? 0x1.921fb6p+1f - (2.0f * angle + 0x1.777a5cp-24f) : 2.0f * angle;
  float y = negative ? -angle : angle;
  return p.big ? big : 0x1.921fb6p+0f - (y + 0x1.777a5cp-25f);
}

// atan for arguments in [0, 1].
__HEDDLE_MATH__ float atan_near(float t) {
  float z = t * t;
  return fma(t * z, poly::atan_tail_f(z), t);
}
__HEDDLE_MATH__ float atan(float x) {
  float a = abs(x);
  bool big = a > 1.0f;
  float y = atan_near(big ? 1.0f / a : a);
  return copysign(big ? 0x1.921fb6p+0f - (y + 0x1.777a5cp-25f) : y, x);
}
__HEDDLE_MATH__ float atan2(float y, float x) {
  float a = abs(x), b = abs(y);
  bool steep = b > a;
  float high = steep ? b : a, low = steep ? a : b;
  float t = low / high;
  t = low == high ? 1.0f : t;
  t = high == 0.0f ? 0.0f : t;
  float r = atan_near(t);
  r = steep ? 0x1.921fb6p+0f - (r + 0x1.777a5cp-25f) : r;
  r = bits(x) >> 31 ? 0x1.921fb6p+1f - (r + 0x1.777a5cp-24f) : r;
  return is_nan(x) || is_nan(y) ? x + y : copysign(r, y);
}

}  // namespace __heddle
