// The CUDA Math API for device code: names, overloads and std:: forms over the functions in math/.
#pragma once
#pragma clang system_header

// Expressions in the functions mean what they say: a product and a sum are rounded twice unless fma() is written.
#pragma clang fp contract(off)
#include "math/bessel.h"
#include "math/error_function.h"
#include "math/exponential_d.h"
#include "math/exponential_f.h"
#include "math/gamma.h"
#include "math/logarithm_d.h"
#include "math/logarithm_f.h"
#include "math/remainder.h"
#include "math/roots.h"
#include "math/trigonometry_d.h"
#include "math/trigonometry_f.h"

// Functions of one argument that C++ has too: NAMEf(float), NAME(float), NAME(double).
#define __HEDDLE_STANDARD_1(F)                                                       \
  F(acos) F(acosh) F(asin) F(asinh) F(atan) F(atanh) F(cbrt) F(cos) F(cosh) F(erf)   \
  F(erfc) F(exp) F(exp2) F(expm1) F(lgamma) F(log) F(log10) F(log1p) F(log2) F(logb) \
  F(round) F(sin) F(sinh) F(sqrt) F(tan) F(tanh) F(tgamma) F(trunc) F(floor) F(rint)
#define __HEDDLE_STANDARD_2(F) F(atan2) F(fdim) F(fmod) F(hypot) F(nextafter) F(pow) F(remainder) F(copysign)
// CUDA's own.
#define __HEDDLE_CUDA_1(F)                                                                                 \
  F(exp10) F(rcbrt) F(sinpi) F(cospi) F(erfinv) F(erfcinv) F(erfcx) F(normcdf) F(normcdfinv) F(j0) F(j1)   \
  F(y0) F(y1) F(cyl_bessel_i0) F(cyl_bessel_i1)
#define __HEDDLE_CUDA_2(F) F(rhypot)

#if defined(HEDDLE_FAST_MATH)
#include "math/fast.h"
#endif

// With fast math these names in single precision mean the approximate forms (math/fast.h).
#if defined(HEDDLE_FAST_MATH)
#define __HEDDLE_SINGLE__ __heddle_fast
#else
#define __HEDDLE_SINGLE__ __heddle
#endif

#define __HEDDLE_DEFINE_1(NAME)                                                       \
  __HEDDLE_DEVICE__ float NAME##f(float x) { return __HEDDLE_SINGLE__::NAME(x); }     \
  __HEDDLE_DEVICE__ double NAME(double x) { return __heddle::NAME(x); }
#define __HEDDLE_OVERLOAD_1(NAME) \
  __HEDDLE_DEVICE__ float NAME(float x) { return __HEDDLE_SINGLE__::NAME(x); }
#define __HEDDLE_DEFINE_2(NAME)                                                                    \
  __HEDDLE_DEVICE__ float NAME##f(float x, float y) { return __HEDDLE_SINGLE__::NAME(x, y); }      \
  __HEDDLE_DEVICE__ double NAME(double x, double y) { return __heddle::NAME(x, y); }
#define __HEDDLE_OVERLOAD_2(NAME) \
  __HEDDLE_DEVICE__ float NAME(float x, float y) { return __HEDDLE_SINGLE__::NAME(x, y); }
__HEDDLE_STANDARD_1(__HEDDLE_DEFINE_1)
__HEDDLE_STANDARD_2(__HEDDLE_DEFINE_2)
__HEDDLE_CUDA_1(__HEDDLE_DEFINE_1)
__HEDDLE_CUDA_2(__HEDDLE_DEFINE_2)
__HEDDLE_STANDARD_1(__HEDDLE_OVERLOAD_1)
__HEDDLE_STANDARD_2(__HEDDLE_OVERLOAD_2)
__HEDDLE_CUDA_1(__HEDDLE_OVERLOAD_1)
#undef __HEDDLE_DEFINE_1
#undef __HEDDLE_DEFINE_2
#undef __HEDDLE_OVERLOAD_1
#undef __HEDDLE_OVERLOAD_2

// Single machine instructions.
#define __HEDDLE_BUILTIN_1(NAME)                                              \
  __HEDDLE_DEVICE__ float NAME##f(float x) { return __builtin_##NAME##f(x); } \
  __HEDDLE_DEVICE__ float NAME(float x) { return __builtin_##NAME##f(x); }    \
  __HEDDLE_DEVICE__ double NAME(double x) { return __builtin_##NAME(x); }
__HEDDLE_BUILTIN_1(ceil)
__HEDDLE_BUILTIN_1(fabs)
__HEDDLE_BUILTIN_1(nearbyint)
#undef __HEDDLE_BUILTIN_1
#define __HEDDLE_BUILTIN_2(NAME)                                                          \
  __HEDDLE_DEVICE__ float NAME##f(float x, float y) { return __builtin_##NAME##f(x, y); } \
  __HEDDLE_DEVICE__ float NAME(float x, float y) { return __builtin_##NAME##f(x, y); }    \
  __HEDDLE_DEVICE__ double NAME(double x, double y) { return __builtin_##NAME(x, y); }
__HEDDLE_BUILTIN_2(fmax)
__HEDDLE_BUILTIN_2(fmin)
#undef __HEDDLE_BUILTIN_2
__HEDDLE_DEVICE__ float fmaf(float x, float y, float z) { return __nvvm_fma_rn_f(x, y, z); }
__HEDDLE_DEVICE__ float fma(float x, float y, float z) { return __nvvm_fma_rn_f(x, y, z); }
__HEDDLE_DEVICE__ double fma(double x, double y, double z) { return __nvvm_fma_rn_d(x, y, z); }
__HEDDLE_DEVICE__ float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
__HEDDLE_DEVICE__ float rsqrt(float x) { return __nvvm_rsqrt_approx_f(x); }
__HEDDLE_DEVICE__ double rsqrt(double x) { return __heddle::rsqrt(x); }
__HEDDLE_DEVICE__ float fdividef(float x, float y) { return x / y; }
__HEDDLE_DEVICE__ double fdivide(double x, double y) { return x / y; }

// Functions that return more than a number, or take an integer.
#define __HEDDLE_MIXED(T, S)                                                                                   \
  __HEDDLE_DEVICE__ void sincospi##S(T x, T* s, T* c) { __heddle::sincospi(x, s, c); }                          \
  __HEDDLE_DEVICE__ T frexp##S(T x, int* exponent) { return __heddle::frexp(x, exponent); }                     \
  __HEDDLE_DEVICE__ T ldexp##S(T x, int n) { return __heddle::ldexp(x, n); }                                    \
  __HEDDLE_DEVICE__ T scalbn##S(T x, int n) { return __heddle::ldexp(x, n); }                                   \
  __HEDDLE_DEVICE__ T scalbln##S(T x, long n) {                                                                 \
    return __heddle::ldexp(x, n < -100000 ? -100000 : (n > 100000 ? 100000 : static_cast<int>(n)));             \
  }                                                                                                             \
  __HEDDLE_DEVICE__ int ilogb##S(T x) { return __heddle::ilogb(x); }                                            \
  __HEDDLE_DEVICE__ T modf##S(T x, T* whole) { return __heddle::modf(x, whole); }                               \
  __HEDDLE_DEVICE__ T remquo##S(T x, T y, int* q) { return __heddle::remquo(x, y, q); }                         \
  __HEDDLE_DEVICE__ T jn##S(int n, T x) { return __heddle::jn(n, x); }                                          \
  __HEDDLE_DEVICE__ T yn##S(int n, T x) { return __heddle::yn(n, x); }                                          \
  __HEDDLE_DEVICE__ T norm3d##S(T x, T y, T z) { return __heddle::norm3d(x, y, z); }                            \
  __HEDDLE_DEVICE__ T rnorm3d##S(T x, T y, T z) { return __heddle::rnorm3d(x, y, z); }                          \
  __HEDDLE_DEVICE__ T norm4d##S(T x, T y, T z, T w) { return __heddle::norm4d(x, y, z, w); }                    \
  __HEDDLE_DEVICE__ T rnorm4d##S(T x, T y, T z, T w) { return __heddle::rnorm4d(x, y, z, w); }                  \
  __HEDDLE_DEVICE__ T norm##S(int count, const T* p) { return __heddle::norm(count, p); }                       \
  __HEDDLE_DEVICE__ T rnorm##S(int count, const T* p) { return __heddle::rnorm(count, p); }
__HEDDLE_MIXED(float, f)
__HEDDLE_MIXED(double, )
#undef __HEDDLE_MIXED
__HEDDLE_DEVICE__ void sincosf(float x, float* s, float* c) { __HEDDLE_SINGLE__::sincos(x, s, c); }
__HEDDLE_DEVICE__ void sincos(float x, float* s, float* c) { __HEDDLE_SINGLE__::sincos(x, s, c); }
__HEDDLE_DEVICE__ void sincos(double x, double* s, double* c) { __heddle::sincos(x, s, c); }
__HEDDLE_DEVICE__ void sincospi(float x, float* s, float* c) { __heddle::sincospi(x, s, c); }
__HEDDLE_DEVICE__ float frexp(float x, int* exponent) { return __heddle::frexp(x, exponent); }
__HEDDLE_DEVICE__ float ldexp(float x, int n) { return __heddle::ldexp(x, n); }
__HEDDLE_DEVICE__ float scalbn(float x, int n) { return __heddle::ldexp(x, n); }
__HEDDLE_DEVICE__ float scalbln(float x, long n) { return scalblnf(x, n); }
__HEDDLE_DEVICE__ int ilogb(float x) { return __heddle::ilogb(x); }
__HEDDLE_DEVICE__ float modf(float x, float* whole) { return __heddle::modf(x, whole); }
__HEDDLE_DEVICE__ float remquo(float x, float y, int* q) { return __heddle::remquo(x, y, q); }
__HEDDLE_DEVICE__ float jn(int n, float x) { return __heddle::jn(n, x); }
__HEDDLE_DEVICE__ float yn(int n, float x) { return __heddle::yn(n, x); }
__HEDDLE_DEVICE__ float hypot(float x, float y, float z) { return __heddle::norm3d(x, y, z); }
__HEDDLE_DEVICE__ double hypot(double x, double y, double z) { return __heddle::norm3d(x, y, z); }
__HEDDLE_DEVICE__ float nanf(const char*) { return __heddle::nan_f(); }
__HEDDLE_DEVICE__ double nan(const char*) { return __heddle::nan_d(); }

// Rounding to integers; values that do not fit saturate, as the machine instruction does.
__HEDDLE_DEVICE__ long long llrintf(float x) { return __nvvm_f2ll_rn(x); }
__HEDDLE_DEVICE__ long long llrint(double x) { return __nvvm_d2ll_rn(x); }
__HEDDLE_DEVICE__ long lrintf(float x) { return __nvvm_f2ll_rn(x); }
__HEDDLE_DEVICE__ long lrint(double x) { return __nvvm_d2ll_rn(x); }
__HEDDLE_DEVICE__ long long llroundf(float x) { return __nvvm_f2ll_rn(__heddle::round(x)); }
__HEDDLE_DEVICE__ long long llround(double x) { return __nvvm_d2ll_rn(__heddle::round(x)); }
__HEDDLE_DEVICE__ long lroundf(float x) { return __nvvm_f2ll_rn(__heddle::round(x)); }
__HEDDLE_DEVICE__ long lround(double x) { return __nvvm_d2ll_rn(__heddle::round(x)); }
__HEDDLE_DEVICE__ long long llrint(float x) { return llrintf(x); }
__HEDDLE_DEVICE__ long lrint(float x) { return lrintf(x); }
__HEDDLE_DEVICE__ long long llround(float x) { return llroundf(x); }
__HEDDLE_DEVICE__ long lround(float x) { return lroundf(x); }

// Classification.
#define __HEDDLE_CLASSIFY(T, S)                                                                   \
  __HEDDLE_DEVICE__ bool isnan(T x) { return __builtin_isnan(x); }                                \
  __HEDDLE_DEVICE__ bool isinf(T x) { return __builtin_fabs##S(x) == __builtin_huge_val##S(); }   \
  __HEDDLE_DEVICE__ bool isfinite(T x) { return __builtin_fabs##S(x) < __builtin_huge_val##S(); } \
  __HEDDLE_DEVICE__ bool isnormal(T x) { return __builtin_isnormal(x); }                          \
  __HEDDLE_DEVICE__ bool signbit(T x) { return __builtin_signbit##S(x); }                         \
  __HEDDLE_DEVICE__ bool isgreater(T x, T y) { return __builtin_isgreater(x, y); }                \
  __HEDDLE_DEVICE__ bool isgreaterequal(T x, T y) { return __builtin_isgreaterequal(x, y); }      \
  __HEDDLE_DEVICE__ bool isless(T x, T y) { return __builtin_isless(x, y); }                      \
  __HEDDLE_DEVICE__ bool islessequal(T x, T y) { return __builtin_islessequal(x, y); }            \
  __HEDDLE_DEVICE__ bool islessgreater(T x, T y) { return __builtin_islessgreater(x, y); }        \
  __HEDDLE_DEVICE__ bool isunordered(T x, T y) { return __builtin_isunordered(x, y); }            \
  __HEDDLE_DEVICE__ int __isnan##S(T x) { return __builtin_isnan(x); }                            \
  __HEDDLE_DEVICE__ int __isinf##S(T x) { return isinf(x); }                                      \
  __HEDDLE_DEVICE__ int __finite##S(T x) { return isfinite(x); }                                  \
  __HEDDLE_DEVICE__ int __signbit##S(T x) { return __builtin_signbit##S(x); }
__HEDDLE_CLASSIFY(float, f)
__HEDDLE_CLASSIFY(double, )
#undef __HEDDLE_CLASSIFY
__HEDDLE_DEVICE__ int __isfinited(double x) { return isfinite(x); }
__HEDDLE_DEVICE__ int __signbitd(double x) { return signbit(x); }
__HEDDLE_DEVICE__ bool finite(double x) { return isfinite(x); }
__HEDDLE_DEVICE__ bool finitef(float x) { return isfinite(x); }

// Integers.
__HEDDLE_DEVICE__ int abs(int x) { return x < 0 ? -x : x; }
__HEDDLE_DEVICE__ long labs(long x) { return x < 0 ? -x : x; }
__HEDDLE_DEVICE__ long long llabs(long long x) { return x < 0 ? -x : x; }
__HEDDLE_DEVICE__ long abs(long x) { return labs(x); }
__HEDDLE_DEVICE__ long long abs(long long x) { return llabs(x); }
__HEDDLE_DEVICE__ float abs(float x) { return __builtin_fabsf(x); }
__HEDDLE_DEVICE__ double abs(double x) { return __builtin_fabs(x); }

// Mixed and integer arguments are computed in double precision, as the C++ standard has it.
template <typename T>
inline constexpr bool __heddle_integer = __is_integral(T);
template <typename T>
inline constexpr bool __heddle_number = __is_integral(T) || __is_floating_point(T);

#define __HEDDLE_INTEGER_1(NAME)                                                                              \
  template <typename T>                                                                                       \
  __HEDDLE_DEVICE__ typename __heddle_if<__heddle_integer<T>, double>::type NAME(T x) {                       \
    return ::NAME(static_cast<double>(x));                                                                    \
  }
#define __HEDDLE_INTEGER_2(NAME)                                                                              \
  template <typename A, typename B>                                                                           \
  __HEDDLE_DEVICE__                                                                                           \
      typename __heddle_if<__heddle_number<A> && __heddle_number<B> && !__is_same(A, B), double>::type        \
      NAME(A x, B y) {                                                                                        \
    return ::NAME(static_cast<double>(x), static_cast<double>(y));                                            \
  }                                                                                                           \
  template <typename A>                                                                                       \
  __HEDDLE_DEVICE__ typename __heddle_if<__heddle_integer<A>, double>::type NAME(A x, A y) {                  \
    return ::NAME(static_cast<double>(x), static_cast<double>(y));                                            \
  }
__HEDDLE_STANDARD_1(__HEDDLE_INTEGER_1)
__HEDDLE_INTEGER_1(ceil)
__HEDDLE_INTEGER_1(fabs)
__HEDDLE_INTEGER_1(nearbyint)
__HEDDLE_INTEGER_1(rsqrt)
__HEDDLE_STANDARD_2(__HEDDLE_INTEGER_2)
__HEDDLE_INTEGER_2(fmax)
__HEDDLE_INTEGER_2(fmin)
#undef __HEDDLE_INTEGER_1
#undef __HEDDLE_INTEGER_2

// std::sin and so on: declared before <cmath>, so that its constexpr functions do not become device functions as well.
namespace std {
#define __HEDDLE_USING(NAME) using ::NAME;
#define __HEDDLE_USING_F(NAME) using ::NAME##f;
__HEDDLE_STANDARD_1(__HEDDLE_USING)
__HEDDLE_STANDARD_2(__HEDDLE_USING)
__HEDDLE_STANDARD_1(__HEDDLE_USING_F)
__HEDDLE_STANDARD_2(__HEDDLE_USING_F)
using ::abs;
using ::ceil;
using ::ceilf;
using ::fabs;
using ::fabsf;
using ::fma;
using ::fmaf;
using ::fmax;
using ::fmaxf;
using ::fmin;
using ::fminf;
using ::frexp;
using ::frexpf;
using ::ilogb;
using ::ilogbf;
using ::isfinite;
using ::isgreater;
using ::isgreaterequal;
using ::isinf;
using ::isless;
using ::islessequal;
using ::islessgreater;
using ::isnan;
using ::isnormal;
using ::isunordered;
using ::labs;
using ::ldexp;
using ::ldexpf;
using ::llabs;
using ::llrint;
using ::llrintf;
using ::llround;
using ::llroundf;
using ::lrint;
using ::lrintf;
using ::lround;
using ::lroundf;
using ::modf;
using ::modff;
using ::nan;
using ::nanf;
using ::nearbyint;
using ::nearbyintf;
using ::remquo;
using ::remquof;
using ::scalbln;
using ::scalblnf;
using ::scalbn;
using ::scalbnf;
using ::signbit;
#undef __HEDDLE_USING
#undef __HEDDLE_USING_F
}  // namespace std

#undef __HEDDLE_STANDARD_1
#undef __HEDDLE_STANDARD_2
#undef __HEDDLE_CUDA_1
#undef __HEDDLE_CUDA_2
#undef __HEDDLE_SINGLE__
