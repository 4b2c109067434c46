// Exact values of the functions that MPFR lacks.
#pragma once

#include "real.hpp"

namespace heddle::compile::testing {

Real exact_rsqrt(const Real& x);
Real exact_rcbrt(const Real& x);
Real exact_erfcx(const Real& x);
Real exact_normcdf(const Real& x);
Real exact_lgamma(const Real& x);
Real exact_i0(const Real& x);
Real exact_i1(const Real& x);

// Inverses, from a value that is nearly right: Newton's method doubles its correct digits with each of four steps.
Real exact_erfinv(const Real& x, double near);
Real exact_erfcinv(const Real& x, double near);
Real exact_normcdfinv(const Real& x, double near);

}  // namespace heddle::compile::testing
