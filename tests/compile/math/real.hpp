// A number of 192 bits (MPFR), as much as the tests of the math functions need.
#pragma once

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::compile::testing {

class Real {
 public:
  static constexpr mpfr_prec_t precision = 192;

  Real() { mpfr_init2(value_, precision); }
  Real(double x) : Real() { mpfr_set_d(value_, x, MPFR_RNDN); }
  Real(const Real& other) : Real() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Real& operator=(const Real& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(value_); }

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }
  double as_double() const { return mpfr_get_d(value_, MPFR_RNDN); }

  friend Real operator+(const Real& a, const Real& b) { return apply(mpfr_add, a, b); }
  friend Real operator-(const Real& a, const Real& b) { return apply(mpfr_sub, a, b); }
  friend Real operator*(const Real& a, const Real& b) { return apply(mpfr_mul, a, b); }
  friend Real operator/(const Real& a, const Real& b) { return apply(mpfr_div, a, b); }

  // One of MPFR's functions of one or two arguments.
  template <typename F>
  static Real apply(F f, const Real& a, const Real& b) {
    Real r;
    f(r.value_, a.value_, b.value_, MPFR_RNDN);
    return r;
  }
  template <typename F>
  static Real apply(F f, const Real& a) {
    Real r;
    f(r.value_, a.value_, MPFR_RNDN);
    return r;
  }
  static Real pi() {
    Real r;
    mpfr_const_pi(r.value_, MPFR_RNDN);
    return r;
  }

 private:
  mpfr_t value_;
};

// |y - exact| in units of the last place that T has at `exact`. Infinite when only one of them is no number, or
// infinite beyond T's range.
template <typename T>
double ulp_error(T y, const Real& exact) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (mpfr_nan_p(exact.get())) return std::isnan(y) ? 0 : infinite;
  if (std::isnan(y)) return infinite;
  constexpr long digits = std::numeric_limits<T>::digits, top = std::numeric_limits<T>::max_exponent;
  const bool zero = mpfr_zero_p(exact.get());
  long exponent = mpfr_inf_p(exact.get()) ? top + 1 : (zero ? -5000 : mpfr_get_exp(exact.get()));
  if (std::isinf(y)) {
    // Right where rounding to nearest overflows, which starts half a unit below 2^top.
    return exponent >= top && (mpfr_sgn(exact.get()) > 0) == (y > 0) ? 0 : infinite;
  }
  if (mpfr_inf_p(exact.get())) return infinite;
  const long unit = std::max(std::min(exponent, top), static_cast<long>(std::numeric_limits<T>::min_exponent)) - digits;
  Real difference = exact - Real(static_cast<double>(y));
  mpfr_mul_2si(difference.get(), difference.get(), -unit, MPFR_RNDN);
  return std::fabs(difference.as_double());
}

}  // namespace heddle::compile::testing
