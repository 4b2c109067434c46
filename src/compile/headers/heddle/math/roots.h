// Roots and lengths: rsqrt, cbrt, rcbrt, hypot, norms and their reciprocals, in both precisions.
#pragma once
#pragma clang system_header

#include "primitives.h"

namespace __heddle {

__HEDDLE_MATH__ double rsqrt(double x) {
  bool small = x < 0x1p-1000;
  double v = small ? x * 0x1p200 : x;
  double y = 1.0 / sqrt(v);
  // One Newton step removes the second rounding.
  double e = fma(v * y, -y, 1.0) + fma(v, y, -(v * y)) * -y;
  double better = fma(0.5 * y, e, y);
  better = small ? better * 0x1p100 : better;
  return x > 0.0 && x < infinity_d() ? better : y;
}

// The real cube root of a positive number with exponent near 0, to 2^-18 or better.
__HEDDLE_MATH__ float cbrt_start(float a) {
  // A third of the logarithm, as bits; then Halley's method.
  float y = from_bits(bits(a) / 3u + 0x2a5137a0u);
  float cube = y * y * y;
  y = y * (cube + 2.0f * a) / (2.0f * cube + a);
  return y;
}

__HEDDLE_MATH__ double cbrt_wide(float a) {
  double v = a, y = cbrt_start(a);
  double cube = y * y * y;
  return y - y * (cube - v) / (2.0 * cube + v);
}

__HEDDLE_MATH__ float cbrt(float x) {
  float a = abs(x);
  bool small = a < 0x1p-60f, large = a > 0x1p60f;
  double y = cbrt_wide(small ? a * 0x1p60f : (large ? a * 0x1p-60f : a));
  y = small ? y * 0x1p-20 : (large ? y * 0x1p20 : y);
  return a > 0.0f && a < infinity_f() ? copysign(static_cast<float>(y), x) : x + x;
}

__HEDDLE_MATH__ float rcbrt(float x) {
  float a = abs(x);
  bool small = a < 0x1p-60f, large = a > 0x1p60f;
  double y = 1.0 / cbrt_wide(small ? a * 0x1p60f : (large ? a * 0x1p-60f : a));
  y = small ? y * 0x1p20 : (large ? y * 0x1p-20 : y);
  return a > 0.0f && a < infinity_f() ? copysign(static_cast<float>(y), x) : 1.0f / x;
}

// |x| = a 2^(3 k) with a in [1/4, 4), and the cube root of a as a nearly exact sum of two.
struct cbrt_parts_d {
  pair_d y;
  i32 k;
};
__HEDDLE_MATH__ cbrt_parts_d cbrt_pair(double magnitude) {
  bool small = magnitude < 0x1p-1022;
  u64 b = bits(small ? magnitude * 0x1p54 : magnitude);
  i32 e = static_cast<i32>(b >> 52) - 1022;
  i32 k = (e + 1200) / 3 - 400;
  double a = from_bits((b & 0xfffffffffffffull) | (static_cast<u64>(e - 3 * k + 1022) << 52));
  double y = cbrt_wide(static_cast<float>(a));
  double cube = y * y * y;
  y = y - y * (cube - a) / (2.0 * cube + a);
  // The remaining error from an exact residual.
  pair_d square = two_product(y, y);
  double residual = fma(square.hi, y, -a) + square.lo * y;
  return {{y, -residual / (3.0 * square.hi)}, small ? k - 18 : k};
}

__HEDDLE_MATH__ double cbrt(double x) {
  double a = abs(x);
  cbrt_parts_d p = cbrt_pair(a);
  double y = (p.y.hi + p.y.lo) * power_d(p.k);
  return a > 0.0 && a < infinity_d() ? copysign(y, x) : x + x;
}

__HEDDLE_MATH__ double rcbrt(double x) {
  double a = abs(x);
  cbrt_parts_d p = cbrt_pair(a);
  double inverse = 1.0 / p.y.hi;
  double error = fma(-inverse, p.y.hi, 1.0) - inverse * p.y.lo;
  double y = fma(inverse, error, inverse) * power_d(-p.k);
  return a > 0.0 && a < infinity_d() ? copysign(y, x) : 1.0 / x;
}

// Single precision lengths: squares and their sums fit double precision.
__HEDDLE_MATH__ double square_wide(float x) { return static_cast<double>(x) * static_cast<double>(x); }
__HEDDLE_MATH__ bool is_infinite(float x) { return abs(x) == infinity_f(); }
__HEDDLE_MATH__ bool is_infinite(double x) { return abs(x) == infinity_d(); }

// Infinity wins over NaN.
__HEDDLE_MATH__ float length(double sum, bool infinite) {
  return infinite ? infinity_f() : static_cast<float>(sqrt(sum));
}
__HEDDLE_MATH__ float reciprocal_length(double sum, bool infinite) {
  return infinite ? 0.0f : static_cast<float>(1.0 / sqrt(sum));
}
__HEDDLE_MATH__ float hypot(float x, float y) {
  return length(square_wide(x) + square_wide(y), is_infinite(x) || is_infinite(y));
}
__HEDDLE_MATH__ float rhypot(float x, float y) {
  return reciprocal_length(square_wide(x) + square_wide(y), is_infinite(x) || is_infinite(y));
}
__HEDDLE_MATH__ float norm3d(float x, float y, float z) {
  return length(square_wide(x) + square_wide(y) + square_wide(z), is_infinite(x) || is_infinite(y) || is_infinite(z));
}
__HEDDLE_MATH__ float rnorm3d(float x, float y, float z) {
  return reciprocal_length(square_wide(x) + square_wide(y) + square_wide(z),
                           is_infinite(x) || is_infinite(y) || is_infinite(z));
}
__HEDDLE_MATH__ float norm4d(float x, float y, float z, float w) {
  return length(square_wide(x) + square_wide(y) + (square_wide(z) + square_wide(w)),
                is_infinite(x) || is_infinite(y) || is_infinite(z) || is_infinite(w));
}
__HEDDLE_MATH__ float rnorm4d(float x, float y, float z, float w) {
  return reciprocal_length(square_wide(x) + square_wide(y) + (square_wide(z) + square_wide(w)),
                           is_infinite(x) || is_infinite(y) || is_infinite(z) || is_infinite(w));
}
__HEDDLE_MATH__ float norm(int count, const float* p) {
  double sum = 0.0;
  bool infinite = false;
  for (int i = 0; i < count; ++i) {
    sum += square_wide(p[i]);
    infinite = infinite || is_infinite(p[i]);
  }
  return length(sum, infinite);
}
__HEDDLE_MATH__ float rnorm(int count, const float* p) {
  double sum = 0.0;
  bool infinite = false;
  for (int i = 0; i < count; ++i) {
    sum += square_wide(p[i]);
    infinite = infinite || is_infinite(p[i]);
  }
  return reciprocal_length(sum, infinite);
}

// Double precision lengths: components are scaled by a power of two, and the sum of squares is kept as a sum of two.
__HEDDLE_MATH__ double greater(double a, double b) { return a > b || is_nan(a) ? a : b; }
// A power of two that brings `greatest` near 1.
__HEDDLE_MATH__ double length_factor(double greatest) {
  i32 e = static_cast<i32>(bits(greatest) >> 52);
  return power_d(1023 - (e < 24 ? 24 : (e > 2022 ? 2022 : e)));
}
__HEDDLE_MATH__ void add_square(pair_d* sum, double x, double factor) {
  pair_d p = two_product(x * factor, x * factor);
  double s = sum->hi + p.hi, b = s - sum->hi;
  sum->lo += (sum->hi - (s - b)) + (p.hi - b) + p.lo;
  sum->hi = s;
}
// sqrt(sum) / factor and its reciprocal.
__HEDDLE_MATH__ double length(pair_d sum, double factor) {
  pair_d s = fast_two_sum(sum.hi, sum.lo);
  double y = sqrt(s.hi);
  double residual = fma(-y, y, s.hi) + s.lo;
  y = s.hi > 0.0 ? y + residual / (y + y) : y;
  return y / factor;
}
__HEDDLE_MATH__ double reciprocal_length(pair_d sum, double factor) {
  pair_d s = fast_two_sum(sum.hi, sum.lo);
  double root = sqrt(s.hi);
  double y = 1.0 / root;
  double residual = fma(-root, root, s.hi) + s.lo;
  double error = fma(-y, root, 1.0) - 0.5 * residual * y * y;
  y = s.hi > 0.0 ? fma(y, error, y) : y;
  return y * factor;
}

__HEDDLE_MATH__ double greatest_of(double x, double y) { return greater(abs(x), abs(y)); }
__HEDDLE_MATH__ double hypot(double x, double y) {
  double factor = length_factor(greatest_of(x, y));
  pair_d sum{0.0, 0.0};
  add_square(&sum, x, factor);
  add_square(&sum, y, factor);
  return is_infinite(x) || is_infinite(y) ? infinity_d() : length(sum, factor);
}
__HEDDLE_MATH__ double rhypot(double x, double y) {
  double factor = length_factor(greatest_of(x, y));
  pair_d sum{0.0, 0.0};
  add_square(&sum, x, factor);
  add_square(&sum, y, factor);
  return is_infinite(x) || is_infinite(y) ? 0.0 : reciprocal_length(sum, factor);
}
__HEDDLE_MATH__ double norm(int count, const double* p, bool reciprocal) {
  double greatest = 0.0;
  bool infinite = false;
  for (int i = 0; i < count; ++i) {
    greatest = greater(abs(p[i]), greatest);
    infinite = infinite || is_infinite(p[i]);
  }
  double factor = length_factor(greatest);
  pair_d sum{0.0, 0.0};
  for (int i = 0; i < count; ++i) add_square(&sum, p[i], factor);
  if (infinite) return reciprocal ? 0.0 : infinity_d();
  return reciprocal ? reciprocal_length(sum, factor) : length(sum, factor);
}
__HEDDLE_MATH__ double norm(int count, const double* p) { return norm(count, p, false); }
__HEDDLE_MATH__ double rnorm(int count, const double* p) { return norm(count, p, true); }
__HEDDLE_MATH__ double norm3d(double x, double y, double z) {
  const double p[3] = {x, y, z};
  return norm(3, p, false);
}
__HEDDLE_MATH__ double rnorm3d(double x, double y, double z) {
  const double p[3] = {x, y, z};
  return norm(3, p, true);
}
__HEDDLE_MATH__ double norm4d(double x, double y, double z, double w) {
  const double p[4] = {x, y, z, w};
  return norm(4, p, false);
}
__HEDDLE_MATH__ double rnorm4d(double x, double y, double z, double w) {
  const double p[4] = {x, y, z, w};
  return norm(4, p, true);
}

}  // namespace __heddle
