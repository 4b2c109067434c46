// sin, cos, tan, their inverses, and sinpi, cospi, in double precision.
#pragma once
#pragma clang system_header

#include "large_argument.h"

namespace __heddle {

// x = q pi/2 + hi + lo with |hi| <= pi/4 (a little more near the ends). NaN and infinity give NaN.
__HEDDLE_MATH__ quadrant_d reduce_trig(double x) {
  double t = fma(x, 0x1.45f306dc9c883p-1, magic_d());
  double k = t - magic_d();
  double r = fma(k, -0x1.921fb54442d18p+0, x);
  pair_d p = two_product(k, -0x1.1a62633145c07p-54);
  double hi = r + p.hi;
  // r and p.hi may be of any relative size.
  double b = hi - r;
  double lo = (r - (hi - b)) + (p.hi - b) + fma(k, 0x1.f1976b8p-110, p.lo);
  pair_d sum = fast_two_sum(hi, lo);
  quadrant_d result{sum.hi, sum.lo, static_cast<u32>(magic_int(t))};
  if (!(abs(x) < 1.0e6)) reduce_large(x, &result);
  return result;
}

__HEDDLE_MATH__ double sin_near(double r, double low) {
  double z = r * r;
  return r + fma(r * z, poly::sin_tail(z), low);
}
__HEDDLE_MATH__ double cos_near(double r, double low) {
  double z = r * r;
  return 1.0 + fma(z, poly::cos_tail(z), -r * low);
}
// cos(r + low) where `cosine`, else sin(r + low): one polynomial whose coefficients are selected, since lanes differ in this.
__HEDDLE_MATH__ double sin_or_cos(double r, double low, bool cosine) {
  double z = r * r, first = cosine ? 1.0 : r;
  return first + fma(first * z, poly::sin_cos_tail(z, cosine), cosine ? -r * low : low);
}

__HEDDLE_MATH__ double sin(double x) {
  quadrant_d p = reduce_trig(x);
  double y = flip_sign(sin_or_cos(p.hi, p.lo, p.q & 1), p.q & 2, 1);
  return x == 0.0 ? x : y;
}
__HEDDLE_MATH__ double cos(double x) {
  quadrant_d p = reduce_trig(x);
  return flip_sign(sin_or_cos(p.hi, p.lo, !(p.q & 1)), (p.q + 1) & 2, 1);
}
__HEDDLE_MATH__ void sincos(double x, double* s, double* c) {
  quadrant_d p = reduce_trig(x);
  double sine = sin_near(p.hi, p.lo), cosine = cos_near(p.hi, p.lo);
  double y = flip_sign(p.q & 1 ? cosine : sine, p.q & 2, 1);
  *s = x == 0.0 ? x : y;
  *c = flip_sign(p.q & 1 ? sine : cosine, (p.q + 1) & 2, 1);
}

__HEDDLE_MATH__ double tan(double x) {
  quadrant_d p = reduce_trig(x);
  double z = p.hi * p.hi;
  // tan(hi + lo) = tan(hi) + lo (1 + tan^2), as a sum of two: the reciprocal must not double the rounding error.
  double rest = fma(p.hi * z, poly::tan_tail(z), fma(p.lo, z, p.lo));
  pair_d t = fast_two_sum(p.hi, rest);
  double inverse = -1.0 / t.hi;
  double error = fma(inverse, t.hi, 1.0) + inverse * t.lo;
  double y = p.q & 1 ? fma(inverse, error, inverse) : t.hi;
  return x == 0.0 ? x : y;
}

struct reduced_pi_d {
  double r;
  u32 q;
};
__HEDDLE_MATH__ reduced_pi_d reduce_pi(double x) {
  double v = abs(x) < 0x1p53 ? x : x * 0.0;
  double k = rint(v + v);
  double t = is_nan(k) ? 0.0 : k;
  return {fma(-0.5, k, v), static_cast<u32>(static_cast<i64>(t))};
}
__HEDDLE_MATH__ double sinpi_near(double r) {
  double z = r * r;
  return fma(r, 0x1.921fb54442d18p+1, fma(r, 0x1.1a62633145c07p-53, r * z * poly::sinpi_tail(z)));
}
__HEDDLE_MATH__ double cospi_near(double r) {
  double z = r * r;
  return fma(z, poly::cospi_tail(z), 1.0);
}
__HEDDLE_MATH__ double sinpi(double x) {
  reduced_pi_d p = reduce_pi(x);
  double y = flip_sign(p.q & 1 ? cospi_near(p.r) : sinpi_near(p.r), p.q & 2, 1);
  return y == 0.0 ? copysign(y, x) : y;
}
__HEDDLE_MATH__ double cospi(double x) {
  reduced_pi_d p = reduce_pi(x);
  double y = flip_sign(p.q & 1 ? sinpi_near(p.r) : cospi_near(p.r), (p.q + 1) & 2, 1);
  return y == 0.0 ? 0.0 : y;
}
__HEDDLE_MATH__ void sincospi(double x, double* s, double* c) {
  *s = sinpi(x);
  *c = cospi(x);
}

// asin of s = |x| up to 1/2, or of s = sqrt((1 - |x|) / 2) above; as a sum of two.
struct asin_parts_d {
  pair_d y;
  bool big;
};
__HEDDLE_MATH__ asin_parts_d asin_near(double a) {
  bool big = a > 0.5;
  double z = big ? fma(-0.5, a, 0.5) : a * a;
  double root = sqrt(z);
  double s = big ? root : a;
  // What the root lost in rounding.
  double low = big && z > 0.0 ? fma(-root, root, z) / (root + root) : 0.0;
  return {fast_two_sum(s, fma(s * z, poly::asin_tail(z), low)), big};
}
__HEDDLE_MATH__ double asin(double x) {
  asin_parts_d p = asin_near(abs(x));
  double big = fma(-2.0, p.y.hi, 0x1.921fb54442d18p+0) + fma(-2.0, p.y.lo, 0x1.1a62633145c07p-54);
  return copysign(p.big ? big : p.y.hi, x);
}
__HEDDLE_MATH__ double acos(double x) {
  asin_parts_d p = asin_near(abs(x));
  bool negative = bits(x) >> 63;
  double far = 0x1.921fb54442d18p+1 - fma(2.0, p.y.hi, fma(2.0, p.y.lo, -0x1.1a62633145c07p-53));
  double y = negative ? -p.y.hi : p.y.hi, low = negative ? -p.y.lo : p.y.lo;
  double middle = 0x1.921fb54442d18p+0 - (y + (low - 0x1.1a62633145c07p-54));
  return p.big ? (negative ? far : 2.0 * p.y.hi) : middle;
}

// atan(low / high) for 0 <= low <= high: above tan(pi/8) through the angle to pi/4. The quotient is kept as a sum of two.
__HEDDLE_MATH__ double atan_quotient(double low, double high) {
  bool big = low > 0x1.a827999fcef32p-2 * high;
  double n = big ? low - high : low, d = big ? high + low : high;
  double n_low = big ? low - (n + high) : 0.0, d_low = big ? low - (d - high) : 0.0;
  double t = n / d;
  double t_low = (fma(-t, d, n) + fma(-t, d_low, n_low)) / d;
  double z = t * t;
  double rest = fma(t * z, poly::atan_tail(z), t_low);
  return big ? 0x1.921fb54442d18p-1 + (t + (rest + 0x1.1a62633145c07p-55)) : t + rest;
}
__HEDDLE_MATH__ double atan(double x) {
  double a = abs(x);
  bool big = a > 1.0, infinite = a == infinity_d();
  double y = atan_quotient(infinite ? 0.0 : (big ? 1.0 : a), infinite ? 1.0 : (big ? a : 1.0));
  return copysign(big ? 0x1.921fb54442d18p+0 - (y - 0x1.1a62633145c07p-54) : y, x);
}
__HEDDLE_MATH__ double atan2(double y, double x) {
  double a = abs(x), b = abs(y);
  bool steep = b > a;
  double high = steep ? b : a, low = steep ? a : b;
  // Sums and remainders of the quotient must neither overflow nor underflow.
  double factor = high > 0x1p1000 ? 0x1p-64 : (high < 0x1p-900 ? 0x1p120 : 1.0);
  double h = high * factor, l = low * factor;
  bool equal = low == high;  // two zeros or two infinities, too
  double r = atan_quotient(equal ? 1.0 : (high == infinity_d() ? 0.0 : l), equal || high == infinity_d() ? 1.0 : h);
  r = high == 0.0 ? 0.0 : r;
  r = steep ? 0x1.921fb54442d18p+0 - (r - 0x1.1a62633145c07p-54) : r;
  r = bits(x) >> 63 ? 0x1.921fb54442d18p+1 - (r - 0x1.1a62633145c07p-53) : r;
  return is_nan(x) || is_nan(y) ? x + y : copysign(r, y);
}

}  // namespace __heddle
