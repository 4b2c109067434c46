#include <heddle/math/bessel.h>
#include <heddle/math/error_function.h>
#include <heddle/math/gamma.h>
#include <heddle/math/remainder.h>
#include <heddle/math/roots.h>
#include <heddle/math/trigonometry_f.h>

#include "math/functions.hpp"
#include "math/reference.hpp"

namespace heddle::compile::testing {
namespace {

using T = double;
Real half(const Real& x) { return Real(static_cast<double>(static_cast<T>(x.as_double()) / 2)); }
template <typename F>
Real order(F f, long n, const Real& x) {
  Real r;
  f(r.get(), n, x.get(), MPFR_RNDN);
  return r;
}
#define RSQRT(x) __heddle::rsqrt(x)
#define FUNCTIONS double_list
#include "math/functions.inc"

}  // namespace

std::vector<Function<double>> double_functions() { return double_list(); }

}  // namespace heddle::compile::testing
