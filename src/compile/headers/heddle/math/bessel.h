// Bessel functions j0, j1, jn, y0, y1, yn and the modified ones i0, i1, in both precisions (single through double).
#pragma once
#pragma clang system_header

#include "logarithm_d.h"
#include "trigonometry_d.h"

namespace __heddle {

// Hankel's expansion for x >= 8: J and Y of order 0 or 1.
struct hankel_d {
  double j, y;
};
__HEDDLE_MATH_OUTLINE__ void hankel(double x, bool first, hankel_d* result) {
  double s, c;
  sincos(x, &s, &c);
  double inverse = 8.0 / x, z = inverse * inverse;
  double p = first ? poly::bessel_p1(z) : poly::bessel_p0(z);
  double q = inverse * (first ? poly::bessel_q1(z) : poly::bessel_q0(z));
  double factor = 0x1.20dd750429b6dp-1 / sqrt(x);  // 1 / sqrt(pi x)
  double plus = s + c, minus = s - c;
  bool infinite = x == infinity_d();
  double even = (p * plus - q * minus) * factor, odd = (p * minus + q * plus) * factor;
  *result = {infinite ? 0.0 : (first ? odd : even), infinite ? 0.0 : (first ? -even : odd)};
}

__HEDDLE_MATH__ double j0(double x) {
  double a = abs(x);
  if (a < 0.75) return fma(a * a, poly::bessel_j0_small(a * a), 1.0);
  if (a < 3.75) return poly::distance_j0_a(a) * poly::bessel_j0_a(a - 2.25);
  if (a < 8.0) return poly::distance_j0_b(a) * poly::bessel_j0_b(a - 5.875);
  hankel_d h;
  hankel(a, false, &h);
  return h.j;
}
__HEDDLE_MATH__ double j1(double x) {
  double a = abs(x), y;
  if (a < 2.0) {
    y = a * poly::bessel_j1_small(a * a);
  } else if (a < 5.0) {
    y = poly::distance_j1_a(a) * poly::bessel_j1_a(a - 3.5);
  } else if (a < 8.0) {
    y = poly::distance_j1_b(a) * poly::bessel_j1_b(a - 6.5);
  } else {
    hankel_d h;
    hankel(a, true, &h);
    y = h.j;
  }
  return x < 0.0 ? -y : (x == 0.0 ? x : y);
}
__HEDDLE_MATH__ double y0(double x) {
  if (!(x > 0.0)) return x == 0.0 ? -infinity_d() : nan_d();
  if (x < 0.5) return fma(0x1.45f306dc9c883p-1 * log(x), poly::bessel_j0_log(x * x), poly::bessel_y0_small(x * x));
  if (x < 1.1) return poly::distance_y0_a(x) * poly::bessel_y0_a(x - 0.8);
  if (x < 2.3) return poly::bessel_y0_b(x - 1.7);
  if (x < 4.7) return poly::distance_y0_c(x) * poly::bessel_y0_c(x - 3.5);
  if (x < 8.0) return poly::distance_y0_d(x) * poly::bessel_y0_d(x - 6.35);
  hankel_d h;
  hankel(x, false, &h);
  return h.y;
}
__HEDDLE_MATH__ double y1(double x) {
  if (!(x > 0.0)) return x == 0.0 ? -infinity_d() : nan_d();
  if (x < 1e-300) return -0x1.45f306dc9c883p-1 / x;
  if (x < 0.8) {
    double z = x * x;
    double rest = fma(0x1.45f306dc9c883p-1 * log(x), poly::bessel_j1_small(z), poly::bessel_y1_small(z));
    return fma(x, rest, -0x1.45f306dc9c883p-1 / x);
  }
  if (x < 1.6) return poly::bessel_y1_a(x - 1.2);
  if (x < 3.1) return poly::distance_y1_b(x) * poly::bessel_y1_b(x - 2.35);
  if (x < 4.7) return poly::bessel_y1_c(x - 3.9);
  if (x < 6.4) return poly::distance_y1_d(x) * poly::bessel_y1_d(x - 5.55);
  if (x < 8.0) return poly::bessel_y1_e(x - 7.2);
  hankel_d h;
  hankel(x, true, &h);
  return h.y;
}

// Upwards recurrence, stable while n < x.
__HEDDLE_MATH__ double bessel_upwards(int n, double x, double before, double at) {
  for (int k = 1; k < n; ++k) {
    double next = 2.0 * k / x * at - before;
    before = at;
    at = next;
  }
  return at;
}

// The leading term of the power series, for small x: (x/2)^n / n!.
__HEDDLE_MATH__ double bessel_tiny(int n, double x) {
  double term = 1.0;
  for (int k = 1; k <= n && term != 0.0; ++k) term *= 0.5 * x / k;
  return term;
}

// Miller's downwards recurrence for n >= x, normalised by 1 = J0 + 2 (J2 + J4 + ...).
__HEDDLE_MATH_OUTLINE__ double bessel_downwards(int n, double x) {
  int start = 2 * ((n + static_cast<int>(sqrt(160.0 * n))) / 2) + 2;
  double above = 0.0, at = 1e-30, sum = 0.0, wanted = 0.0;
  for (int k = start; k > 0; --k) {
    double below = 2.0 * k / x * at - above;
    above = at;
    at = below;
    // `at` is now proportional to J of order k - 1.
    if (abs(at) > 1e100) {
      above *= 1e-100;
      at *= 1e-100;
      sum *= 1e-100;
      wanted *= 1e-100;
    }
    if (k - 1 == n) wanted = at;
    if ((k - 1) % 2 == 0) sum += k == 1 ? at : 2.0 * at;
  }
  return wanted / sum;
}

__HEDDLE_MATH__ double jn(int n, double x) {
  if (n < 0) return nan_d();
  if (n == 0) return j0(x);
  if (n == 1) return j1(x);
  double a = abs(x);
  double y;
  if (is_nan(x)) {
    y = x;
  } else if (a == 0.0 || a == infinity_d()) {
    y = 0.0;
  } else if (a > n) {
    y = bessel_upwards(n, a, j0(a), j1(a));
  } else {
    y = a < 1e-8 ? bessel_tiny(n, a) : bessel_downwards(n, a);
  }
  return x < 0.0 && (n & 1) ? -y : y;
}
__HEDDLE_MATH__ double yn(int n, double x) {
  if (n < 0 || !(x >= 0.0)) return nan_d();
  if (n == 0) return y0(x);
  if (n == 1) return y1(x);
  if (x == 0.0) return -infinity_d();
  if (x == infinity_d()) return 0.0;
  double y = bessel_upwards(n, x, y0(x), y1(x));
  return is_nan(y) ? -infinity_d() : y;  // the recurrence overflowed
}

// e^a P / sqrt(a), by halves so that it overflows only where the result does.
__HEDDLE_MATH__ double bessel_i_large(double a, double p) {
  double half = exp_shifted(0.5 * (a > 1500.0 ? 1500.0 : a), 0.0, 0);
  return half * (p / sqrt(a)) * half;
}
__HEDDLE_MATH__ double cyl_bessel_i0(double x) {
  double a = abs(x);
  if (a < 7.5) return poly::bessel_i0_small(a * a);
  double y = bessel_i_large(a, poly::bessel_i0_large(15.0 / a - 1.0));
  return a == infinity_d() ? a : y;
}
__HEDDLE_MATH__ double cyl_bessel_i1(double x) {
  double a = abs(x);
  if (a < 7.5) return x * poly::bessel_i1_small(a * a);
  double y = bessel_i_large(a, poly::bessel_i1_large(15.0 / a - 1.0));
  return copysign(a == infinity_d() ? a : y, x);
}

#define __HEDDLE_SINGLE(NAME) \
  __HEDDLE_MATH__ float NAME(float x) { return static_cast<float>(NAME(static_cast<double>(x))); }
__HEDDLE_SINGLE(j0)
__HEDDLE_SINGLE(j1)
__HEDDLE_SINGLE(y0)
__HEDDLE_SINGLE(y1)
__HEDDLE_SINGLE(cyl_bessel_i0)
__HEDDLE_SINGLE(cyl_bessel_i1)
#undef __HEDDLE_SINGLE
__HEDDLE_MATH__ float jn(int n, float x) { return static_cast<float>(jn(n, static_cast<double>(x))); }
__HEDDLE_MATH__ float yn(int n, float x) { return static_cast<float>(yn(n, static_cast<double>(x))); }

}  // namespace __heddle
