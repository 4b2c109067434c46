// Definitions of C library functions under their own names, for code that calls them as such: the compiler's __builtin_sinf,
// <complex>, what the C++ library's constexpr functions use. Included only when a compilation left such calls; a macro
// HEDDLE_EXPORTS then lists them as __HEDDLE_EXPORT_sinf and so on.
#pragma once
#pragma clang system_header

#pragma clang fp contract(off)

#define __HEDDLE_EXPORTED(T, NAME, PARAMETERS, CALL)                                   \
  extern "C" __device__ T __heddle_export_##NAME PARAMETERS __asm__(#NAME);            \
  extern "C" __device__ __attribute__((used)) T __heddle_export_##NAME PARAMETERS { return CALL; }
#define __HEDDLE_EXPORT_F1(NAME) __HEDDLE_EXPORTED(float, NAME##f, (float x), ::NAME##f(x))
#define __HEDDLE_EXPORT_D1(NAME) __HEDDLE_EXPORTED(double, NAME, (double x), ::NAME(x))
#define __HEDDLE_EXPORT_F2(NAME) __HEDDLE_EXPORTED(float, NAME##f, (float x, float y), ::NAME##f(x, y))
#define __HEDDLE_EXPORT_D2(NAME) __HEDDLE_EXPORTED(double, NAME, (double x, double y), ::NAME(x, y))

// In the tables of classes with pure virtual functions.
#define __HEDDLE_EXPORT___cxa_pure_virtual __HEDDLE_EXPORTED(void, __cxa_pure_virtual, (), __builtin_trap())

#define __HEDDLE_EXPORT_acosf __HEDDLE_EXPORT_F1(acos)
#define __HEDDLE_EXPORT_acos __HEDDLE_EXPORT_D1(acos)
#define __HEDDLE_EXPORT_acoshf __HEDDLE_EXPORT_F1(acosh)
#define __HEDDLE_EXPORT_acosh __HEDDLE_EXPORT_D1(acosh)
#define __HEDDLE_EXPORT_asinf __HEDDLE_EXPORT_F1(asin)
#define __HEDDLE_EXPORT_asin __HEDDLE_EXPORT_D1(asin)
#define __HEDDLE_EXPORT_asinhf __HEDDLE_EXPORT_F1(asinh)
#define __HEDDLE_EXPORT_asinh __HEDDLE_EXPORT_D1(asinh)
#define __HEDDLE_EXPORT_atanf __HEDDLE_EXPORT_F1(atan)
#define __HEDDLE_EXPORT_atan __HEDDLE_EXPORT_D1(atan)
#define __HEDDLE_EXPORT_atanhf __HEDDLE_EXPORT_F1(atanh)
#define __HEDDLE_EXPORT_atanh __HEDDLE_EXPORT_D1(atanh)
#define __HEDDLE_EXPORT_atan2f __HEDDLE_EXPORT_F2(atan2)
#define __HEDDLE_EXPORT_atan2 __HEDDLE_EXPORT_D2(atan2)
#define __HEDDLE_EXPORT_cbrtf __HEDDLE_EXPORT_F1(cbrt)
#define __HEDDLE_EXPORT_cbrt __HEDDLE_EXPORT_D1(cbrt)
#define __HEDDLE_EXPORT_cosf __HEDDLE_EXPORT_F1(cos)
#define __HEDDLE_EXPORT_cos __HEDDLE_EXPORT_D1(cos)
#define __HEDDLE_EXPORT_coshf __HEDDLE_EXPORT_F1(cosh)
#define __HEDDLE_EXPORT_cosh __HEDDLE_EXPORT_D1(cosh)
#define __HEDDLE_EXPORT_erff __HEDDLE_EXPORT_F1(erf)
#define __HEDDLE_EXPORT_erf __HEDDLE_EXPORT_D1(erf)
#define __HEDDLE_EXPORT_erfcf __HEDDLE_EXPORT_F1(erfc)
#define __HEDDLE_EXPORT_erfc __HEDDLE_EXPORT_D1(erfc)
#define __HEDDLE_EXPORT_expf __HEDDLE_EXPORT_F1(exp)
#define __HEDDLE_EXPORT_exp __HEDDLE_EXPORT_D1(exp)
#define __HEDDLE_EXPORT_exp2f __HEDDLE_EXPORT_F1(exp2)
#define __HEDDLE_EXPORT_exp2 __HEDDLE_EXPORT_D1(exp2)
#define __HEDDLE_EXPORT_expm1f __HEDDLE_EXPORT_F1(expm1)
#define __HEDDLE_EXPORT_expm1 __HEDDLE_EXPORT_D1(expm1)
#define __HEDDLE_EXPORT_fdimf __HEDDLE_EXPORT_F2(fdim)
#define __HEDDLE_EXPORT_fdim __HEDDLE_EXPORT_D2(fdim)
#define __HEDDLE_EXPORT_fmaf \
  __HEDDLE_EXPORTED(float, fmaf, (float x, float y, float z), __nvvm_fma_rn_f(x, y, z))
#define __HEDDLE_EXPORT_fma \
  __HEDDLE_EXPORTED(double, fma, (double x, double y, double z), __nvvm_fma_rn_d(x, y, z))
#define __HEDDLE_EXPORT_fmodf __HEDDLE_EXPORT_F2(fmod)
#define __HEDDLE_EXPORT_fmod __HEDDLE_EXPORT_D2(fmod)
#define __HEDDLE_EXPORT_frexpf __HEDDLE_EXPORTED(float, frexpf, (float x, int* e), ::frexpf(x, e))
#define __HEDDLE_EXPORT_frexp __HEDDLE_EXPORTED(double, frexp, (double x, int* e), ::frexp(x, e))
#define __HEDDLE_EXPORT_hypotf __HEDDLE_EXPORT_F2(hypot)
#define __HEDDLE_EXPORT_hypot __HEDDLE_EXPORT_D2(hypot)
#define __HEDDLE_EXPORT_ilogbf __HEDDLE_EXPORTED(int, ilogbf, (float x), ::ilogbf(x))
#define __HEDDLE_EXPORT_ilogb __HEDDLE_EXPORTED(int, ilogb, (double x), ::ilogb(x))
#define __HEDDLE_EXPORT_ldexpf __HEDDLE_EXPORTED(float, ldexpf, (float x, int n), ::ldexpf(x, n))
#define __HEDDLE_EXPORT_ldexp __HEDDLE_EXPORTED(double, ldexp, (double x, int n), ::ldexp(x, n))
#define __HEDDLE_EXPORT_lgammaf __HEDDLE_EXPORT_F1(lgamma)
#define __HEDDLE_EXPORT_lgamma __HEDDLE_EXPORT_D1(lgamma)
#define __HEDDLE_EXPORT_llrintf __HEDDLE_EXPORTED(long long, llrintf, (float x), ::llrintf(x))
#define __HEDDLE_EXPORT_llrint __HEDDLE_EXPORTED(long long, llrint, (double x), ::llrint(x))
#define __HEDDLE_EXPORT_llroundf __HEDDLE_EXPORTED(long long, llroundf, (float x), ::llroundf(x))
#define __HEDDLE_EXPORT_llround __HEDDLE_EXPORTED(long long, llround, (double x), ::llround(x))
#define __HEDDLE_EXPORT_logf __HEDDLE_EXPORT_F1(log)
#define __HEDDLE_EXPORT_log __HEDDLE_EXPORT_D1(log)
#define __HEDDLE_EXPORT_log10f __HEDDLE_EXPORT_F1(log10)
#define __HEDDLE_EXPORT_log10 __HEDDLE_EXPORT_D1(log10)
#define __HEDDLE_EXPORT_log1pf __HEDDLE_EXPORT_F1(log1p)
#define __HEDDLE_EXPORT_log1p __HEDDLE_EXPORT_D1(log1p)
#define __HEDDLE_EXPORT_log2f __HEDDLE_EXPORT_F1(log2)
#define __HEDDLE_EXPORT_log2 __HEDDLE_EXPORT_D1(log2)
#define __HEDDLE_EXPORT_logbf __HEDDLE_EXPORT_F1(logb)
#define __HEDDLE_EXPORT_logb __HEDDLE_EXPORT_D1(logb)
#define __HEDDLE_EXPORT_lrintf __HEDDLE_EXPORTED(long, lrintf, (float x), ::lrintf(x))
#define __HEDDLE_EXPORT_lrint __HEDDLE_EXPORTED(long, lrint, (double x), ::lrint(x))
#define __HEDDLE_EXPORT_lroundf __HEDDLE_EXPORTED(long, lroundf, (float x), ::lroundf(x))
#define __HEDDLE_EXPORT_lround __HEDDLE_EXPORTED(long, lround, (double x), ::lround(x))
#define __HEDDLE_EXPORT_modff __HEDDLE_EXPORTED(float, modff, (float x, float* w), ::modff(x, w))
#define __HEDDLE_EXPORT_modf __HEDDLE_EXPORTED(double, modf, (double x, double* w), ::modf(x, w))
#define __HEDDLE_EXPORT_nextafterf __HEDDLE_EXPORT_F2(nextafter)
#define __HEDDLE_EXPORT_nextafter __HEDDLE_EXPORT_D2(nextafter)
#define __HEDDLE_EXPORT_powf __HEDDLE_EXPORT_F2(pow)
#define __HEDDLE_EXPORT_pow __HEDDLE_EXPORT_D2(pow)
#define __HEDDLE_EXPORT_remainderf __HEDDLE_EXPORT_F2(remainder)
#define __HEDDLE_EXPORT_remainder __HEDDLE_EXPORT_D2(remainder)
#define __HEDDLE_EXPORT_remquof __HEDDLE_EXPORTED(float, remquof, (float x, float y, int* q), ::remquof(x, y, q))
#define __HEDDLE_EXPORT_remquo __HEDDLE_EXPORTED(double, remquo, (double x, double y, int* q), ::remquo(x, y, q))
#define __HEDDLE_EXPORT_scalbnf __HEDDLE_EXPORTED(float, scalbnf, (float x, int n), ::scalbnf(x, n))
#define __HEDDLE_EXPORT_scalbn __HEDDLE_EXPORTED(double, scalbn, (double x, int n), ::scalbn(x, n))
#define __HEDDLE_EXPORT_scalblnf __HEDDLE_EXPORTED(float, scalblnf, (float x, long n), ::scalblnf(x, n))
#define __HEDDLE_EXPORT_scalbln __HEDDLE_EXPORTED(double, scalbln, (double x, long n), ::scalbln(x, n))
#define __HEDDLE_EXPORT_sinf __HEDDLE_EXPORT_F1(sin)
#define __HEDDLE_EXPORT_sin __HEDDLE_EXPORT_D1(sin)
#define __HEDDLE_EXPORT_sinhf __HEDDLE_EXPORT_F1(sinh)
#define __HEDDLE_EXPORT_sinh __HEDDLE_EXPORT_D1(sinh)
#define __HEDDLE_EXPORT_sqrtf __HEDDLE_EXPORT_F1(sqrt)
#define __HEDDLE_EXPORT_sqrt __HEDDLE_EXPORT_D1(sqrt)
#define __HEDDLE_EXPORT_tanf __HEDDLE_EXPORT_F1(tan)
#define __HEDDLE_EXPORT_tan __HEDDLE_EXPORT_D1(tan)
#define __HEDDLE_EXPORT_tanhf __HEDDLE_EXPORT_F1(tanh)
#define __HEDDLE_EXPORT_tanh __HEDDLE_EXPORT_D1(tanh)
#define __HEDDLE_EXPORT_tgammaf __HEDDLE_EXPORT_F1(tgamma)
#define __HEDDLE_EXPORT_tgamma __HEDDLE_EXPORT_D1(tgamma)

// Products and quotients of C's complex numbers, with its rules for infinities (C11, annex G).
#define __HEDDLE_COMPLEX_PRODUCT(T, NAME)                                                                  \
  extern "C" __device__ __attribute__((used)) T _Complex NAME(T a, T b, T c, T d) {                        \
    T ac = a * c, bd = b * d, ad = a * d, bc = b * c, x = ac - bd, y = ad + bc;                            \
    if (isnan(x) && isnan(y)) {                                                                            \
      bool again = false;                                                                                  \
      if (isinf(a) || isinf(b)) {                                                                          \
        a = copysign(isinf(a) ? T(1) : T(0), a);                                                           \
        b = copysign(isinf(b) ? T(1) : T(0), b);                                                           \
        c = isnan(c) ? copysign(T(0), c) : c;                                                              \
        d = isnan(d) ? copysign(T(0), d) : d;                                                              \
        again = true;                                                                                      \
      }                                                                                                    \
      if (isinf(c) || isinf(d)) {                                                                          \
        c = copysign(isinf(c) ? T(1) : T(0), c);                                                           \
        d = copysign(isinf(d) ? T(1) : T(0), d);                                                           \
        a = isnan(a) ? copysign(T(0), a) : a;                                                              \
        b = isnan(b) ? copysign(T(0), b) : b;                                                              \
        again = true;                                                                                      \
      }                                                                                                    \
      if (!again && (isinf(ac) || isinf(bd) || isinf(ad) || isinf(bc))) {                                  \
        a = isnan(a) ? copysign(T(0), a) : a;                                                              \
        b = isnan(b) ? copysign(T(0), b) : b;                                                              \
        c = isnan(c) ? copysign(T(0), c) : c;                                                              \
        d = isnan(d) ? copysign(T(0), d) : d;                                                              \
        again = true;                                                                                      \
      }                                                                                                    \
      if (again) {                                                                                         \
        x = T(__builtin_huge_val()) * (a * c - b * d);                                                     \
        y = T(__builtin_huge_val()) * (a * d + b * c);                                                     \
      }                                                                                                    \
    }                                                                                                      \
    T _Complex z;                                                                                          \
    __real__ z = x;                                                                                        \
    __imag__ z = y;                                                                                        \
    return z;                                                                                              \
  }
#define __HEDDLE_COMPLEX_QUOTIENT(T, NAME)                                                                 \
  extern "C" __device__ __attribute__((used)) T _Complex NAME(T a, T b, T c, T d) {                        \
    T larger = fmax(fabs(c), fabs(d));                                                                     \
    int scale = 0;                                                                                         \
    if (isfinite(larger) && larger != T(0)) {                                                              \
      scale = -ilogb(larger);                                                                              \
      c = scalbn(c, scale);                                                                                \
      d = scalbn(d, scale);                                                                                \
    }                                                                                                      \
    T n = c * c + d * d, x = scalbn((a * c + b * d) / n, scale), y = scalbn((b * c - a * d) / n, scale);   \
    if (isnan(x) && isnan(y)) {                                                                            \
      if (n == T(0) && (!isnan(a) || !isnan(b))) {                                                         \
        x = copysign(T(__builtin_huge_val()), c) * a;                                                      \
        y = copysign(T(__builtin_huge_val()), c) * b;                                                      \
      } else if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {                                   \
        a = copysign(isinf(a) ? T(1) : T(0), a);                                                           \
        b = copysign(isinf(b) ? T(1) : T(0), b);                                                           \
        x = T(__builtin_huge_val()) * (a * c + b * d);                                                     \
        y = T(__builtin_huge_val()) * (b * c - a * d);                                                     \
      } else if (isinf(larger) && isfinite(a) && isfinite(b)) {                                            \
        c = copysign(isinf(c) ? T(1) : T(0), c);                                                           \
        d = copysign(isinf(d) ? T(1) : T(0), d);                                                           \
        x = T(0) * (a * c + b * d);                                                                        \
        y = T(0) * (b * c - a * d);                                                                        \
      }                                                                                                    \
    }                                                                                                      \
    T _Complex z;                                                                                          \
    __real__ z = x;                                                                                        \
    __imag__ z = y;                                                                                        \
    return z;                                                                                              \
  }
#define __HEDDLE_EXPORT___mulsc3 __HEDDLE_COMPLEX_PRODUCT(float, __mulsc3)
#define __HEDDLE_EXPORT___muldc3 __HEDDLE_COMPLEX_PRODUCT(double, __muldc3)
#define __HEDDLE_EXPORT___divsc3 __HEDDLE_COMPLEX_QUOTIENT(float, __divsc3)
#define __HEDDLE_EXPORT___divdc3 __HEDDLE_COMPLEX_QUOTIENT(double, __divdc3)

HEDDLE_EXPORTS

#if !defined(HEDDLE_FP_CONTRACT_OFF)
#pragma clang fp contract(fast)
#endif
