#include "math/reference.hpp"

namespace heddle::compile::testing {
namespace {

Real exp(const Real& x) { return Real::apply(mpfr_exp, x); }
Real sqrt(const Real& x) { return Real::apply(mpfr_sqrt, x); }
Real erfc(const Real& x) { return Real::apply(mpfr_erfc, x); }

// 2 / sqrt(pi) exp(-y^2), the derivative of erf.
Real erf_slope(const Real& y) { return Real(2) / sqrt(Real::pi()) * exp(Real(0) - y * y); }

// Where erfc(y) = x; works where x is tiny, because the correction is relative.
Real solve_erfc(const Real& x, Real y) {
  for (int i = 0; i < 4; ++i) y = y + (erfc(y) - x) / erf_slope(y);
  return y;
}

// Sum of (x^2/4)^k / (k! (k + n)!), times (x/2)^n.
Real modified_bessel(const Real& x, int n) {
  const Real quarter = x * x / Real(4);
  Real term = n == 0 ? Real(1) : x / Real(2), sum = term;
  for (int k = 1; k < 5000; ++k) {
    term = term * quarter / Real(static_cast<double>(k) * (k + n));
    sum = sum + term;
    if (mpfr_zero_p(term.get()) || mpfr_get_exp(term.get()) < mpfr_get_exp(sum.get()) - Real::precision) break;
  }
  return sum;
}

}  // namespace

Real exact_rsqrt(const Real& x) { return Real::apply(mpfr_rec_sqrt, x); }
Real exact_rcbrt(const Real& x) { return Real(1) / Real::apply(mpfr_cbrt, x); }

Real exact_erfcx(const Real& x) {
  const Real square = x * x;
  if (x.as_double() < 1e4) return exp(square) * erfc(x);
  // The asymptotic series: three terms leave 1e-32 here.
  const Real z = Real(1) / (Real(2) * square);
  return (Real(1) - z + Real(3) * z * z - Real(15) * z * z * z) / (x * sqrt(Real::pi()));
}
Real exact_normcdf(const Real& x) { return erfc((Real(0) - x) / sqrt(Real(2))) / Real(2); }
Real exact_lgamma(const Real& x) {
  Real r;
  int sign = 0;
  mpfr_lgamma(r.get(), &sign, x.get(), MPFR_RNDN);
  return r;
}
Real exact_i0(const Real& x) { return modified_bessel(x, 0); }
Real exact_i1(const Real& x) { return modified_bessel(x, 1); }

Real exact_erfinv(const Real& x, double near) {
  // 1 - x is exact in 192 bits, unless x is tiny: then erf itself is the better function to solve.
  if (std::fabs(x.as_double()) > 0.25) {
    const bool negative = mpfr_sgn(x.get()) < 0;
    Real y = solve_erfc(Real(1) - Real::apply(mpfr_abs, x), Real(std::fabs(near)));
    return negative ? Real(0) - y : y;
  }
  Real y(near);
  for (int i = 0; i < 4; ++i) y = y - (Real::apply(mpfr_erf, y) - x) / erf_slope(y);
  return y;
}
Real exact_erfcinv(const Real& x, double near) {
  return x.as_double() > 0.75 ? exact_erfinv(Real(1) - x, near) : solve_erfc(x, Real(near));
}
Real exact_normcdfinv(const Real& x, double near) {
  const Real root = sqrt(Real(2));
  return (Real(0) - root) * exact_erfcinv(Real(2) * x, -near / std::sqrt(2.0));
}

}  // namespace heddle::compile::testing
