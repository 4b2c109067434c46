// CUDA's own math functions for host code, where the C library has none. Double precision; single precision is computed in
// double and rounded.
#pragma once
#pragma GCC system_header

#define __HEDDLE_HOST_MATH__ inline __attribute__((unused))

extern "C" {
__HEDDLE_HOST_MATH__ double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
__HEDDLE_HOST_MATH__ double rcbrt(double x) { return 1.0 / __builtin_cbrt(x); }
// With the whole turns taken off before pi comes in, and the quarters told apart: zeros and ones are exact.
__HEDDLE_HOST_MATH__ void sincospi(double x, double* s, double* c) {
  const double pi = 3.14159265358979323846;
  const double turn = x - 2.0 * __builtin_rint(0.5 * x);  // -1 to 1
  const double quarter = __builtin_rint(2.0 * turn), rest = pi * (turn - 0.5 * quarter);
  const double near_s = __builtin_sin(rest), near_c = __builtin_cos(rest);
  switch (static_cast<int>(quarter) & 3) {
    case 0: *s = near_s, *c = near_c; break;
    case 1: *s = near_c, *c = -near_s; break;
    case 2: *s = -near_s, *c = -near_c; break;
    default: *s = -near_c, *c = near_s; break;
  }
  if (rest == 0.0 && *s == 0.0) *s = __builtin_copysign(0.0, x);
  if (*c == 0.0) *c = 0.0;
}
__HEDDLE_HOST_MATH__ double sinpi(double x) {
  double s, c;
  sincospi(x, &s, &c);
  return s;
}
__HEDDLE_HOST_MATH__ double cospi(double x) {
  double s, c;
  sincospi(x, &s, &c);
  return c;
}
// exp(x * x) * erfc(x): the continued fraction where erfc runs out of range.
__HEDDLE_HOST_MATH__ double erfcx(double x) {
  if (x < 10.0) return __builtin_exp(x * x) * __builtin_erfc(x);
  double fraction = 0.0;
  for (int i = 30; i > 0; --i) fraction = 0.5 * i / (x + fraction);
  return 0.56418958354775628695 / (x + fraction);
}
// The inverse of erfc on (0, 2), by Halley's steps from an estimate for its tails.
__HEDDLE_HOST_MATH__ double erfcinv(double y) {
  if (!(y >= 0.0 && y <= 2.0)) return __builtin_nan("");
  if (y == 0.0) return __builtin_huge_val();
  if (y == 2.0) return -__builtin_huge_val();
  const double tail = y < 1.0 ? y : 2.0 - y;
  const double t = __builtin_sqrt(-2.0 * __builtin_log(0.5 * tail));
  double x = -0.70711 * ((2.30753 + t * 0.27061) / (1.0 + t * (0.99229 + t * 0.04481)) - t);
  for (int i = 0; i < 4; ++i) {
    const double error = __builtin_erfc(x) - tail;
    if (error == 0.0) break;
    const double step = error / (-1.12837916709551257390 * __builtin_exp(-x * x));
    x -= step / (1.0 + x * step);
  }
  return y < 1.0 ? x : -x;
}
__HEDDLE_HOST_MATH__ double erfinv(double y) {
  if (y < -0.5 || y > 0.5) return y > 0.0 ? erfcinv(1.0 - y) : -erfcinv(1.0 + y);
  double x = 0.88622692545275801365 * y;
  for (int i = 0; i < 5; ++i) {
    const double step = (__builtin_erf(x) - y) / (1.12837916709551257390 * __builtin_exp(-x * x));
    x -= step / (1.0 + x * step);
  }
  return x;
}
__HEDDLE_HOST_MATH__ double normcdf(double x) { return 0.5 * __builtin_erfc(-0.70710678118654752440 * x); }
__HEDDLE_HOST_MATH__ double normcdfinv(double p) { return -1.41421356237309504880 * erfcinv(2.0 * p); }
// Modified Bessel functions of the first kind, by their series, whose terms are all of one sign.
__HEDDLE_HOST_MATH__ double cyl_bessel_i0(double x) {
  double term = 1.0, sum = 1.0;
  for (int k = 1; k < 1000 && term > 1e-17 * sum; ++k) sum += term *= 0.25 * x * x / (static_cast<double>(k) * k);
  return sum;
}
__HEDDLE_HOST_MATH__ double cyl_bessel_i1(double x) {
  double term = 0.5 * __builtin_fabs(x), sum = term;
  for (int k = 1; k < 1000 && term > 1e-17 * sum; ++k) sum += term *= 0.25 * x * x / (static_cast<double>(k) * (k + 1));
  return __builtin_copysign(sum, x);
}
__HEDDLE_HOST_MATH__ double norm3d(double a, double b, double c) { return __builtin_hypot(__builtin_hypot(a, b), c); }
__HEDDLE_HOST_MATH__ double norm4d(double a, double b, double c, double d) {
  return __builtin_hypot(__builtin_hypot(a, b), __builtin_hypot(c, d));
}
__HEDDLE_HOST_MATH__ double norm(int count, const double* p) {
  double all = 0.0;
  for (int i = 0; i < count; ++i) all = __builtin_hypot(all, p[i]);
  return all;
}
__HEDDLE_HOST_MATH__ double rhypot(double a, double b) { return 1.0 / __builtin_hypot(a, b); }
__HEDDLE_HOST_MATH__ double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
__HEDDLE_HOST_MATH__ double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
__HEDDLE_HOST_MATH__ double rnorm(int count, const double* p) { return 1.0 / norm(count, p); }

#define __HEDDLE_HOST_FLOAT_1(NAME) \
  __HEDDLE_HOST_MATH__ float NAME##f(float x) { return static_cast<float>(NAME(static_cast<double>(x))); }
__HEDDLE_HOST_FLOAT_1(rsqrt)
__HEDDLE_HOST_FLOAT_1(rcbrt)
__HEDDLE_HOST_FLOAT_1(sinpi)
__HEDDLE_HOST_FLOAT_1(cospi)
__HEDDLE_HOST_FLOAT_1(erfcx)
__HEDDLE_HOST_FLOAT_1(erfinv)
__HEDDLE_HOST_FLOAT_1(erfcinv)
__HEDDLE_HOST_FLOAT_1(normcdf)
__HEDDLE_HOST_FLOAT_1(normcdfinv)
__HEDDLE_HOST_FLOAT_1(cyl_bessel_i0)
__HEDDLE_HOST_FLOAT_1(cyl_bessel_i1)
#undef __HEDDLE_HOST_FLOAT_1
__HEDDLE_HOST_MATH__ void sincospif(float x, float* s, float* c) {
  double ds, dc;
  sincospi(static_cast<double>(x), &ds, &dc);
  *s = static_cast<float>(ds);
  *c = static_cast<float>(dc);
}
__HEDDLE_HOST_MATH__ float norm3df(float a, float b, float c) { return static_cast<float>(norm3d(a, b, c)); }
__HEDDLE_HOST_MATH__ float norm4df(float a, float b, float c, float d) { return static_cast<float>(norm4d(a, b, c, d)); }
__HEDDLE_HOST_MATH__ float rnorm3df(float a, float b, float c) { return static_cast<float>(rnorm3d(a, b, c)); }
__HEDDLE_HOST_MATH__ float rnorm4df(float a, float b, float c, float d) {
  return static_cast<float>(rnorm4d(a, b, c, d));
}
__HEDDLE_HOST_MATH__ float rhypotf(float a, float b) { return static_cast<float>(rhypot(a, b)); }
__HEDDLE_HOST_MATH__ float normf(int count, const float* p) {
  double all = 0.0;
  for (int i = 0; i < count; ++i) all = __builtin_hypot(all, static_cast<double>(p[i]));
  return static_cast<float>(all);
}
__HEDDLE_HOST_MATH__ float rnormf(int count, const float* p) { return 1.0f / normf(count, p); }
}

// The overloads that C++ adds.
#define __HEDDLE_HOST_OVERLOAD(NAME) \
  __HEDDLE_HOST_MATH__ float NAME(float x) { return NAME##f(x); }
__HEDDLE_HOST_OVERLOAD(rsqrt)
__HEDDLE_HOST_OVERLOAD(rcbrt)
__HEDDLE_HOST_OVERLOAD(sinpi)
__HEDDLE_HOST_OVERLOAD(cospi)
__HEDDLE_HOST_OVERLOAD(erfcx)
__HEDDLE_HOST_OVERLOAD(erfinv)
__HEDDLE_HOST_OVERLOAD(erfcinv)
__HEDDLE_HOST_OVERLOAD(normcdf)
__HEDDLE_HOST_OVERLOAD(normcdfinv)
#undef __HEDDLE_HOST_OVERLOAD
#undef __HEDDLE_HOST_MATH__
