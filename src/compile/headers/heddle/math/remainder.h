// Exact functions: remainders, rounding, and taking numbers apart, in both precisions.
#pragma once
#pragma clang system_header

#include "primitives.h"

namespace __heddle {

// a mod b for finite a >= b > 0 whatever their ratio, by long division of the significands; the quotient's low bits too.
struct division_f {
  float r;
  u32 q;
};
struct division_d {
  double r;
  u32 q;
};
__HEDDLE_MATH_OUTLINE__ void long_division(double a, double b, division_d* result) {
  i32 ea = static_cast<i32>(bits(a) >> 52), eb = static_cast<i32>(bits(b) >> 52);
  u64 ma = bits(a) & 0xfffffffffffffull, mb = bits(b) & 0xfffffffffffffull;
  if (ea == 0) ea = 1; else ma |= 0x10000000000000ull;
  if (eb == 0) eb = 1; else mb |= 0x10000000000000ull;
  u64 q = ma / mb, r = ma % mb;
  // Significands have 53 bits: eleven more fit at a time.
  for (i32 left = ea - eb; left > 0;) {
    i32 step = left < 11 ? left : 11;
    u64 n = r << step;
    q = (q << step) + n / mb;
    r = n % mb;
    left -= step;
  }
  // r 2^(eb - 1075), where r < mb, so that the product is exact.
  double value = static_cast<double>(r);
  i32 k = eb - 1075;
  value = k < -900 ? value * power_d(k + 500) * power_d(-500) : value * power_d(k);
  *result = {value, static_cast<u32>(q)};
}

// |x| mod |y| and the quotient's low bits; operands as fmod wants them.
__HEDDLE_MATH__ division_d divide(double a, double b) {
  double ratio = a / b;
  double q = trunc(ratio);
  double r = fma(-q, b, a);
  bool over = r < 0.0;  // the quotient was rounded up to the next integer
  division_d result{over ? r + b : r, static_cast<u32>(static_cast<i64>(ratio < 0x1p52 ? q : 0.0)) - over};
  if (!(ratio < 0x1p52)) long_division(a, b, &result);
  return result;
}
// In double precision the quotient of two floats is exact enough unless it is very large.
__HEDDLE_MATH__ division_f divide(float a, float b) {
  division_d d = divide(static_cast<double>(a), static_cast<double>(b));
  return {static_cast<float>(d.r), d.q};
}

#define __HEDDLE_REMAINDERS(T, INFINITY, NAN)                                         \
  __HEDDLE_MATH__ bool no_remainder(T x, T y) {                                       \
    return !(abs(x) < INFINITY()) || is_nan(y) || y == T(0);                          \
  }                                                                                   \
  __HEDDLE_MATH__ T fmod(T x, T y) {                                                  \
    if (no_remainder(x, y)) return is_nan(x) || is_nan(y) ? x + y : NAN();            \
    T a = abs(x), b = abs(y);                                                         \
    if (a < b) return x;                                                              \
    return copysign(divide(a, b).r, x);                                               \
  }                                                                                   \
  __HEDDLE_MATH__ T remquo(T x, T y, int* quotient) {                                 \
    *quotient = 0;                                                                    \
    if (no_remainder(x, y)) return is_nan(x) || is_nan(y) ? x + y : NAN();            \
    T a = abs(x), b = abs(y), r = a;                                                  \
    u32 q = 0;                                                                        \
    if (a >= b) {                                                                     \
      auto d = divide(a, b);                                                          \
      r = d.r;                                                                        \
      q = d.q;                                                                        \
    }                                                                                 \
    if (r + r > b || (r + r == b && (q & 1))) {                                       \
      r -= b;                                                                         \
      ++q;                                                                            \
    }                                                                                 \
    i32 low = static_cast<i32>(q & 0x7fffffffu);                                      \
    *quotient = (x < T(0)) != (y < T(0)) ? -low : low;                                \
    r = r == T(0) ? T(0) : r;                                                         \
    return x < T(0) || (x == T(0) && copysign(T(1), x) < T(0)) ? -r : r;              \
  }                                                                                   \
  __HEDDLE_MATH__ T remainder(T x, T y) {                                             \
    int ignored;                                                                      \
    return remquo(x, y, &ignored);                                                    \
  }                                                                                   \
  __HEDDLE_MATH__ T modf(T x, T* whole) {                                             \
    T t = trunc(x);                                                                   \
    *whole = t;                                                                       \
    return copysign(abs(x) == INFINITY() ? T(0) : x - t, x);                          \
  }                                                                                   \
  __HEDDLE_MATH__ T fdim(T x, T y) { return x <= y ? T(0) : x - y; }
__HEDDLE_REMAINDERS(float, infinity_f, nan_f)
__HEDDLE_REMAINDERS(double, infinity_d, nan_d)
#undef __HEDDLE_REMAINDERS

// x 2^n, rounded once.
__HEDDLE_MATH__ float ldexp(float x, int n) {
  // In double precision every finite result is normal before the last rounding.
  i32 k = n < -400 ? -400 : (n > 400 ? 400 : n);
  return static_cast<float>(static_cast<double>(x) * power_d(k));
}
__HEDDLE_MATH__ double ldexp(double x, int n) {
  i32 k = n < -2200 ? -2200 : (n > 2200 ? 2200 : n);
  // Steps that leave 53 bits above the smallest number, so that only the last one may round.
  for (int i = 0; i < 2; ++i) {
    bool down = k < -1022, up = k > 1023;
    x = down ? x * 0x1p-969 : (up ? x * 0x1p1023 : x);
    k = down ? k + 969 : (up ? k - 1023 : k);
  }
  return x * power_d(k < -1022 ? -1022 : (k > 1023 ? 1023 : k));
}

__HEDDLE_MATH__ int ilogb(float x) {
  float a = abs(x);
  bool small = a < 0x1p-126f;
  i32 e = static_cast<i32>(bits(small ? a * 0x1p24f : a) >> 23) - 127 - (small ? 24 : 0);
  e = a == 0.0f ? static_cast<i32>(0x80000000u) : e;
  return a < infinity_f() ? e : (is_nan(x) ? static_cast<i32>(0x80000000u) : 0x7fffffff);
}
__HEDDLE_MATH__ int ilogb(double x) {
  double a = abs(x);
  bool small = a < 0x1p-1022;
  i32 e = static_cast<i32>(bits(small ? a * 0x1p54 : a) >> 52) - 1023 - (small ? 54 : 0);
  e = a == 0.0 ? static_cast<i32>(0x80000000u) : e;
  return a < infinity_d() ? e : (is_nan(x) ? static_cast<i32>(0x80000000u) : 0x7fffffff);
}
__HEDDLE_MATH__ float logb(float x) {
  float y = x == 0.0f ? -infinity_f() : static_cast<float>(ilogb(x));
  return abs(x) < infinity_f() ? y : x * x;
}
__HEDDLE_MATH__ double logb(double x) {
  double y = x == 0.0 ? -infinity_d() : static_cast<double>(ilogb(x));
  return abs(x) < infinity_d() ? y : x * x;
}

__HEDDLE_MATH__ float frexp(float x, int* exponent) {
  bool ordinary = abs(x) < infinity_f() && x != 0.0f;
  i32 e = ordinary ? ilogb(x) + 1 : 0;
  *exponent = e;
  return ordinary ? ldexp(x, -e) : x + x;
}
__HEDDLE_MATH__ double frexp(double x, int* exponent) {
  bool ordinary = abs(x) < infinity_d() && x != 0.0;
  i32 e = ordinary ? ilogb(x) + 1 : 0;
  *exponent = e;
  return ordinary ? ldexp(x, -e) : x + x;
}

__HEDDLE_MATH__ float nextafter(float x, float y) {
  u32 b = bits(x);
  u32 next = x == 0.0f ? (bits(y) & 0x80000000u) | 1u : ((x < y) == (x > 0.0f) ? b + 1 : b - 1);
  return is_nan(x) || is_nan(y) ? x + y : (x == y ? y : from_bits(next));
}
__HEDDLE_MATH__ double nextafter(double x, double y) {
  u64 b = bits(x);
  u64 next = x == 0.0 ? (bits(y) & 0x8000000000000000ull) | 1ull : ((x < y) == (x > 0.0) ? b + 1 : b - 1);
  return is_nan(x) || is_nan(y) ? x + y : (x == y ? y : from_bits(next));
}

// Half away from zero.
__HEDDLE_MATH__ float round(float x) { return trunc(x + copysign(0x1.fffffep-2f, x)); }
__HEDDLE_MATH__ double round(double x) { return trunc(x + copysign(0x1.fffffffffffffp-2, x)); }

}  // namespace __heddle
