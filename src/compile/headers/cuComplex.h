// Complex numbers as pairs, in both kinds of code.
#pragma once
#pragma GCC system_header
#include "heddle/prelude.h"
#include "heddle/hide_macros.h"

// As in heddle/library_types.h.
#if !defined(CU_COMPLEX_H_)
#define CU_COMPLEX_H_

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define __HEDDLE_COMPLEX(C, T, S, P, MAKE, SQRT)                                                              \
  __HEDDLE_BOTH__ C make_cu##P##Complex(T r, T i) { return MAKE(r, i); }                                      \
  __HEDDLE_BOTH__ T cuCreal##S(C x) { return x.x; }                                                           \
  __HEDDLE_BOTH__ T cuCimag##S(C x) { return x.y; }                                                           \
  __HEDDLE_BOTH__ C cuConj##S(C x) { return MAKE(x.x, -x.y); }                                                \
  __HEDDLE_BOTH__ C cuCadd##S(C x, C y) { return MAKE(x.x + y.x, x.y + y.y); }                                \
  __HEDDLE_BOTH__ C cuCsub##S(C x, C y) { return MAKE(x.x - y.x, x.y - y.y); }                                \
  __HEDDLE_BOTH__ C cuCmul##S(C x, C y) { return MAKE(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); }        \
  /* Scaled, so that squares neither overflow nor vanish. */                                                  \
  __HEDDLE_BOTH__ C cuCdiv##S(C x, C y) {                                                                     \
    T a = y.x < 0 ? -y.x : y.x, b = y.y < 0 ? -y.y : y.y;                                                     \
    T s = T(1) / (a + b), p = x.x * s, q = x.y * s, r = y.x * s, t = y.y * s, n = T(1) / (r * r + t * t);     \
    return MAKE((p * r + q * t) * n, (q * r - p * t) * n);                                                    \
  }                                                                                                           \
  __HEDDLE_BOTH__ T cuCabs##S(C x) {                                                                          \
    T a = x.x < 0 ? -x.x : x.x, b = x.y < 0 ? -x.y : x.y;                                                     \
    T v = a > b ? a : b, w = a > b ? b : a;                                                                   \
    if (v == T(0) || v + v == v || v != v || w != w) return v + w;                                            \
    T t = w / v;                                                                                              \
    return v * SQRT(T(1) + t * t);                                                                            \
  }                                                                                                           \
  __HEDDLE_BOTH__ C cuCfma##S(C x, C y, C d) { return cuCadd##S(cuCmul##S(x, y), d); }
__HEDDLE_COMPLEX(cuFloatComplex, float, f, Float, make_float2, sqrtf)
__HEDDLE_COMPLEX(cuDoubleComplex, double, , Double, make_double2, sqrt)
#undef __HEDDLE_COMPLEX
__HEDDLE_BOTH__ cuComplex make_cuComplex(float r, float i) { return make_float2(r, i); }
__HEDDLE_BOTH__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) { return make_double2(c.x, c.y); }
__HEDDLE_BOTH__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) {
  return make_float2(static_cast<float>(c.x), static_cast<float>(c.y));
}

#endif
#include "heddle/show_macros.h"
