// The functions and operators that __half and __nv_bfloat16 have in common, for single values and for pairs.
#pragma once
#pragma clang system_header

#include "half_types.h"

// Functions for the device that host code may name: an overloaded one in a kernel's template arguments is looked for among
// those that the host may call. It is told when it calls them.
#define __HEDDLE_NAMED_DEVICE__ __HEDDLE_BOTH__

#define __HEDDLE_SMALL(H, H2)                                                                                             \
  /* Arithmetic. _rn forms are never fused; others may be. */                                                             \
  __HEDDLE_BOTH__ H __hadd(H a, H b) { return __heddle_add(a, b); }                                                       \
  __HEDDLE_BOTH__ H __hsub(H a, H b) { return __heddle_sub(a, b); }                                                       \
  __HEDDLE_BOTH__ H __hmul(H a, H b) { return __heddle_mul(a, b); }                                                       \
  __HEDDLE_BOTH__ H __hadd_rn(H a, H b) { return __heddle_add_rn(a, b); }                                                 \
  __HEDDLE_BOTH__ H __hsub_rn(H a, H b) { return __heddle_sub_rn(a, b); }                                                 \
  __HEDDLE_BOTH__ H __hmul_rn(H a, H b) { return __heddle_mul_rn(a, b); }                                                 \
  __HEDDLE_BOTH__ H __hdiv(H a, H b) { return __heddle_div(a, b); }                                                       \
  __HEDDLE_BOTH__ H __hfma(H a, H b, H c) { return __heddle_fma(a, b, c); }                                               \
  __HEDDLE_BOTH__ H __hneg(H a) {                                                                                         \
    a.__x ^= 0x8000;                                                                                                      \
    return a;                                                                                                             \
  }                                                                                                                       \
  __HEDDLE_BOTH__ H __habs(H a) {                                                                                         \
    a.__x &= 0x7fff;                                                                                                      \
    return a;                                                                                                             \
  }                                                                                                                       \
  /* To [0, 1], NaN to 0. */                                                                                              \
  __HEDDLE_BOTH__ H __heddle_saturated(H a) {                                                                             \
    float f = __heddle_wide(a);                                                                                           \
    return H(f > 0.0f ? (f < 1.0f ? f : 1.0f) : 0.0f);                                                                    \
  }                                                                                                                       \
  __HEDDLE_BOTH__ H __hadd_sat(H a, H b) { return __heddle_saturated(__hadd(a, b)); }                                     \
  __HEDDLE_BOTH__ H __hsub_sat(H a, H b) { return __heddle_saturated(__hsub(a, b)); }                                     \
  __HEDDLE_BOTH__ H __hmul_sat(H a, H b) { return __heddle_saturated(__hmul(a, b)); }                                     \
  __HEDDLE_BOTH__ H __hfma_sat(H a, H b, H c) { return __heddle_saturated(__hfma(a, b, c)); }                             \
  __HEDDLE_BOTH__ H __hfma_relu(H a, H b, H c) {                                                                          \
    H r = __hfma(a, b, c);                                                                                                \
    return __heddle_wide(r) <= 0.0f ? H(0.0f) : r; /* -0 becomes +0 */                                                    \
  }                                                                                                                       \
  /* Comparisons; those with a u are true for NaN. */                                                                     \
  __HEDDLE_BOTH__ bool __hisnan(H a) { return __heddle_wide(a) != __heddle_wide(a); }                                     \
  __HEDDLE_BOTH__ int __hisinf(H a) {                                                                                     \
    float f = __heddle_wide(a);                                                                                           \
    return __builtin_fabsf(f) == __builtin_huge_valf() ? (f < 0.0f ? -1 : 1) : 0;                                         \
  }                                                                                                                       \
  __HEDDLE_COMPARISON(H, H2, eq, ==)                                                                                      \
  __HEDDLE_COMPARISON(H, H2, lt, <)                                                                                       \
  __HEDDLE_COMPARISON(H, H2, le, <=)                                                                                      \
  __HEDDLE_COMPARISON(H, H2, gt, >)                                                                                       \
  __HEDDLE_COMPARISON(H, H2, ge, >=)                                                                                      \
  __HEDDLE_BOTH__ bool __hne(H a, H b) { return __heq(a, a) && __heq(b, b) && !__heq(a, b); }                             \
  __HEDDLE_BOTH__ bool __hneu(H a, H b) { return !__heq(a, b); }                                                          \
  __HEDDLE_PAIR_COMPARISON(H, H2, ne)                                                                                     \
  /* The number where one is NaN; _nan forms: NaN. -0 is below +0. */                                                     \
  __HEDDLE_BOTH__ H __hmin(H a, H b) {                                                                                    \
    if (__hisnan(a)) return b;                                                                                            \
    if (__hisnan(b)) return a;                                                                                            \
    return __heq(a, b) ? ((a.__x & 0x8000) ? a : b) : (__hlt(a, b) ? a : b);                                              \
  }                                                                                                                       \
  __HEDDLE_BOTH__ H __hmax(H a, H b) {                                                                                    \
    if (__hisnan(a)) return b;                                                                                            \
    if (__hisnan(b)) return a;                                                                                            \
    return __heq(a, b) ? ((a.__x & 0x8000) ? b : a) : (__hgt(a, b) ? a : b);                                              \
  }                                                                                                                       \
  __HEDDLE_BOTH__ H __hmin_nan(H a, H b) { return __hisnan(a) ? a : (__hisnan(b) ? b : __hmin(a, b)); }                   \
  __HEDDLE_BOTH__ H __hmax_nan(H a, H b) { return __hisnan(a) ? a : (__hisnan(b) ? b : __hmax(a, b)); }                   \
  /* Pairs. */                                                                                                            \
  __HEDDLE_BOTH__ H2 __hadd2(H2 a, H2 b) { return __heddle_add(a, b); }                                                   \
  __HEDDLE_BOTH__ H2 __hsub2(H2 a, H2 b) { return __heddle_sub(a, b); }                                                   \
  __HEDDLE_BOTH__ H2 __hmul2(H2 a, H2 b) { return __heddle_mul(a, b); }                                                   \
  __HEDDLE_BOTH__ H2 __hadd2_rn(H2 a, H2 b) { return __heddle_add_rn(a, b); }                                             \
  __HEDDLE_BOTH__ H2 __hsub2_rn(H2 a, H2 b) { return __heddle_sub_rn(a, b); }                                             \
  __HEDDLE_BOTH__ H2 __hmul2_rn(H2 a, H2 b) { return __heddle_mul_rn(a, b); }                                             \
  __HEDDLE_BOTH__ H2 __h2div(H2 a, H2 b) { return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)}; }                                 \
  __HEDDLE_BOTH__ H2 __hfma2(H2 a, H2 b, H2 c) { return __heddle_fma(a, b, c); }                                          \
  __HEDDLE_BOTH__ H2 __hneg2(H2 a) { return {__hneg(a.x), __hneg(a.y)}; }                                                 \
  __HEDDLE_BOTH__ H2 __habs2(H2 a) { return {__habs(a.x), __habs(a.y)}; }                                                 \
  __HEDDLE_BOTH__ H2 __hadd2_sat(H2 a, H2 b) { return {__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)}; }                     \
  __HEDDLE_BOTH__ H2 __hsub2_sat(H2 a, H2 b) { return {__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)}; }                     \
  __HEDDLE_BOTH__ H2 __hmul2_sat(H2 a, H2 b) { return {__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)}; }                     \
  __HEDDLE_BOTH__ H2 __hfma2_sat(H2 a, H2 b, H2 c) { return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)}; }     \
  __HEDDLE_BOTH__ H2 __hfma2_relu(H2 a, H2 b, H2 c) { return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)}; }  \
  __HEDDLE_BOTH__ H2 __hmin2(H2 a, H2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }                                 \
  __HEDDLE_BOTH__ H2 __hmax2(H2 a, H2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }                                 \
  __HEDDLE_BOTH__ H2 __hmin2_nan(H2 a, H2 b) { return {__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)}; }                     \
  __HEDDLE_BOTH__ H2 __hmax2_nan(H2 a, H2 b) { return {__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)}; }                     \
  __HEDDLE_BOTH__ H2 __hisnan2(H2 a) { return {H(__hisnan(a.x) ? 1.0f : 0.0f), H(__hisnan(a.y) ? 1.0f : 0.0f)}; }         \
  /* Complex multiply-accumulate: a b + c. */                                                                             \
  __HEDDLE_BOTH__ H2 __hcmadd(H2 a, H2 b, H2 c) {                                                                         \
    H real = __hfma(a.x, b.x, c.x), imaginary = __hfma(a.x, b.y, c.y);                                                    \
    return {__hfma(__hneg(a.y), b.y, real), __hfma(a.y, b.x, imaginary)};                                                 \
  }                                                                                                                       \
  /* Parts of pairs. */                                                                                                   \
  __HEDDLE_BOTH__ float __low2float(H2 a) { return __heddle_wide(a.x); }                                                  \
  __HEDDLE_BOTH__ float __high2float(H2 a) { return __heddle_wide(a.y); }                                                 \
  /* Operators. */                                                                                                        \
  __HEDDLE_BOTH__ H operator+(const H& a, const H& b) { return __hadd(a, b); }                                            \
  __HEDDLE_BOTH__ H operator-(const H& a, const H& b) { return __hsub(a, b); }                                            \
  __HEDDLE_BOTH__ H operator*(const H& a, const H& b) { return __hmul(a, b); }                                            \
  __HEDDLE_BOTH__ H operator/(const H& a, const H& b) { return __hdiv(a, b); }                                            \
  __HEDDLE_BOTH__ H& operator+=(H& a, const H& b) { return a = __hadd(a, b); }                                            \
  __HEDDLE_BOTH__ H& operator-=(H& a, const H& b) { return a = __hsub(a, b); }                                            \
  __HEDDLE_BOTH__ H& operator*=(H& a, const H& b) { return a = __hmul(a, b); }                                            \
  __HEDDLE_BOTH__ H& operator/=(H& a, const H& b) { return a = __hdiv(a, b); }                                            \
  __HEDDLE_BOTH__ H& operator++(H& a) { return a = __hadd(a, H(1.0f)); }                                                  \
  __HEDDLE_BOTH__ H& operator--(H& a) { return a = __hsub(a, H(1.0f)); }                                                  \
  __HEDDLE_BOTH__ H operator++(H& a, int) {                                                                               \
    H old = a;                                                                                                            \
    ++a;                                                                                                                  \
    return old;                                                                                                           \
  }                                                                                                                       \
  __HEDDLE_BOTH__ H operator--(H& a, int) {                                                                               \
    H old = a;                                                                                                            \
    --a;                                                                                                                  \
    return old;                                                                                                           \
  }                                                                                                                       \
  __HEDDLE_BOTH__ H operator+(const H& a) { return a; }                                                                   \
  __HEDDLE_BOTH__ H operator-(const H& a) { return __hneg(a); }                                                           \
  __HEDDLE_BOTH__ bool operator==(const H& a, const H& b) { return __heq(a, b); }                                         \
  __HEDDLE_BOTH__ bool operator!=(const H& a, const H& b) { return __hneu(a, b); }                                        \
  __HEDDLE_BOTH__ bool operator<(const H& a, const H& b) { return __hlt(a, b); }                                          \
  __HEDDLE_BOTH__ bool operator<=(const H& a, const H& b) { return __hle(a, b); }                                         \
  __HEDDLE_BOTH__ bool operator>(const H& a, const H& b) { return __hgt(a, b); }                                          \
  __HEDDLE_BOTH__ bool operator>=(const H& a, const H& b) { return __hge(a, b); }                                         \
  __HEDDLE_BOTH__ H2 operator+(const H2& a, const H2& b) { return __hadd2(a, b); }                                        \
  __HEDDLE_BOTH__ H2 operator-(const H2& a, const H2& b) { return __hsub2(a, b); }                                        \
  __HEDDLE_BOTH__ H2 operator*(const H2& a, const H2& b) { return __hmul2(a, b); }                                        \
  __HEDDLE_BOTH__ H2 operator/(const H2& a, const H2& b) { return __h2div(a, b); }                                        \
  __HEDDLE_BOTH__ H2& operator+=(H2& a, const H2& b) { return a = __hadd2(a, b); }                                        \
  __HEDDLE_BOTH__ H2& operator-=(H2& a, const H2& b) { return a = __hsub2(a, b); }                                        \
  __HEDDLE_BOTH__ H2& operator*=(H2& a, const H2& b) { return a = __hmul2(a, b); }                                        \
  __HEDDLE_BOTH__ H2& operator/=(H2& a, const H2& b) { return a = __h2div(a, b); }                                        \
  __HEDDLE_BOTH__ H2 operator+(const H2& a) { return a; }                                                                 \
  __HEDDLE_BOTH__ H2 operator-(const H2& a) { return __hneg2(a); }                                                        \
  __HEDDLE_BOTH__ bool operator==(const H2& a, const H2& b) { return __hbeq2(a, b); }                                     \
  __HEDDLE_BOTH__ bool operator!=(const H2& a, const H2& b) { return __hbneu2(a, b); }                                    \
  __HEDDLE_BOTH__ bool operator<(const H2& a, const H2& b) { return __hblt2(a, b); }                                      \
  __HEDDLE_BOTH__ bool operator<=(const H2& a, const H2& b) { return __hble2(a, b); }                                     \
  __HEDDLE_BOTH__ bool operator>(const H2& a, const H2& b) { return __hbgt2(a, b); }                                      \
  __HEDDLE_BOTH__ bool operator>=(const H2& a, const H2& b) { return __hbge2(a, b); }                                     \
  /* Mathematical functions, computed in single precision and rounded. */                                                 \
  __HEDDLE_SMALL_MATH(H, H2, sin, sinf)                                                                                   \
  __HEDDLE_SMALL_MATH(H, H2, cos, cosf)                                                                                   \
  __HEDDLE_SMALL_MATH(H, H2, exp, expf)                                                                                   \
  __HEDDLE_SMALL_MATH(H, H2, exp2, exp2f)                                                                                 \
  __HEDDLE_SMALL_MATH(H, H2, exp10, exp10f)                                                                               \
  __HEDDLE_SMALL_MATH(H, H2, log, logf)                                                                                   \
  __HEDDLE_SMALL_MATH(H, H2, log2, log2f)                                                                                 \
  __HEDDLE_SMALL_MATH(H, H2, log10, log10f)                                                                               \
  __HEDDLE_SMALL_MATH(H, H2, sqrt, sqrtf)                                                                                 \
  __HEDDLE_SMALL_MATH(H, H2, rsqrt, rsqrtf)                                                                               \
  __HEDDLE_SMALL_MATH(H, H2, rcp, 1.0f /)                                                                                 \
  __HEDDLE_SMALL_MATH(H, H2, tanh, tanhf)                                                                                 \
  __HEDDLE_SMALL_MATH(H, H2, tanh_approx, __tanhf)                                                                        \
  __HEDDLE_SMALL_MATH(H, H2, ceil, ceilf)                                                                                 \
  __HEDDLE_SMALL_MATH(H, H2, floor, floorf)                                                                               \
  __HEDDLE_SMALL_MATH(H, H2, rint, rintf)                                                                                 \
  __HEDDLE_SMALL_MATH(H, H2, trunc, truncf)                                                                               \
  /* Shuffles and cached accesses, as words. */                                                                           \
  __HEDDLE_SMALL_SHUFFLE(H, H2, __shfl_sync, int)                                                                         \
  __HEDDLE_SMALL_SHUFFLE(H, H2, __shfl_up_sync, int)                                                                      \
  __HEDDLE_SMALL_SHUFFLE(H, H2, __shfl_down_sync, int)                                                                    \
  __HEDDLE_SMALL_SHUFFLE(H, H2, __shfl_xor_sync, int)                                                                     \
  __HEDDLE_SMALL_LOAD(H, H2, __ldg)                                                                                       \
  __HEDDLE_SMALL_LOAD(H, H2, __ldca)                                                                                      \
  __HEDDLE_SMALL_LOAD(H, H2, __ldcg)                                                                                      \
  __HEDDLE_SMALL_LOAD(H, H2, __ldcs)                                                                                      \
  __HEDDLE_SMALL_LOAD(H, H2, __ldcv)                                                                                      \
  __HEDDLE_SMALL_LOAD(H, H2, __ldlu)                                                                                      \
  __HEDDLE_SMALL_STORE(H, H2, __stwb)                                                                                     \
  __HEDDLE_SMALL_STORE(H, H2, __stcg)                                                                                     \
  __HEDDLE_SMALL_STORE(H, H2, __stcs)                                                                                     \
  __HEDDLE_SMALL_STORE(H, H2, __stwt)

#define __HEDDLE_COMPARISON(H, H2, NAME, OP)                                                          \
  __HEDDLE_BOTH__ bool __h##NAME(H a, H b) { return __heddle_wide(a) OP __heddle_wide(b); }           \
  __HEDDLE_BOTH__ bool __h##NAME##u(H a, H b) {                                                       \
    return __hisnan(a) || __hisnan(b) || (__heddle_wide(a) OP __heddle_wide(b));                      \
  }                                                                                                   \
  __HEDDLE_PAIR_COMPARISON(H, H2, NAME)
#define __HEDDLE_PAIR_COMPARISON(H, H2, NAME)                                                              \
  __HEDDLE_PAIR_COMPARISON_1(H, H2, NAME)                                                                  \
  __HEDDLE_PAIR_COMPARISON_1(H, H2, NAME##u)
#define __HEDDLE_PAIR_COMPARISON_1(H, H2, NAME)                                                            \
  __HEDDLE_BOTH__ H2 __h##NAME##2(H2 a, H2 b) {                                                            \
    return {H(__h##NAME(a.x, b.x) ? 1.0f : 0.0f), H(__h##NAME(a.y, b.y) ? 1.0f : 0.0f)};                   \
  }                                                                                                        \
  __HEDDLE_BOTH__ bool __hb##NAME##2(H2 a, H2 b) { return __h##NAME(a.x, b.x) && __h##NAME(a.y, b.y); }    \
  __HEDDLE_BOTH__ unsigned int __h##NAME##2_mask(H2 a, H2 b) {                                             \
    return (__h##NAME(a.x, b.x) ? 0xffffu : 0u) | (__h##NAME(a.y, b.y) ? 0xffff0000u : 0u);                \
  }
#if defined(__CUDA__)
#define __HEDDLE_SMALL_MATH(H, H2, NAME, F)                                                        \
  __HEDDLE_NAMED_DEVICE__ H h##NAME(H a) { return H(F(__heddle_wide(a))); }                        \
  __HEDDLE_NAMED_DEVICE__ H2 h2##NAME(H2 a) { return {h##NAME(a.x), h##NAME(a.y)}; }
#define __HEDDLE_SMALL_SHUFFLE(H, H2, NAME, LANE)                                                  \
  __HEDDLE_NAMED_DEVICE__ H2 NAME(unsigned int mask, H2 v, LANE lane, int width = 32) {            \
    return __builtin_bit_cast(H2, NAME(mask, __builtin_bit_cast(int, v), lane, width));            \
  }                                                                                                \
  __HEDDLE_NAMED_DEVICE__ H NAME(unsigned int mask, H v, LANE lane, int width = 32) {              \
    v.__x = static_cast<unsigned short>(NAME(mask, static_cast<int>(v.__x), lane, width));         \
    return v;                                                                                      \
  }
#define __HEDDLE_SMALL_LOAD(H, H2, NAME)                                                           \
  __HEDDLE_NAMED_DEVICE__ H2 NAME(const H2* p) {                                                   \
    return __builtin_bit_cast(H2, NAME(reinterpret_cast<const unsigned int*>(p)));                 \
  }                                                                                                \
  __HEDDLE_NAMED_DEVICE__ H NAME(const H* p) {                                                     \
    return __builtin_bit_cast(H, NAME(reinterpret_cast<const unsigned short*>(p)));                \
  }
#define __HEDDLE_SMALL_STORE(H, H2, NAME)                                                          \
  __HEDDLE_NAMED_DEVICE__ void NAME(H2* p, H2 v) {                                                 \
    NAME(reinterpret_cast<unsigned int*>(p), __builtin_bit_cast(unsigned int, v));                 \
  }                                                                                                \
  __HEDDLE_NAMED_DEVICE__ void NAME(H* p, H v) { NAME(reinterpret_cast<unsigned short*>(p), v.__x); }
#else  // of the device
#define __HEDDLE_SMALL_MATH(H, H2, NAME, F)
#define __HEDDLE_SMALL_SHUFFLE(H, H2, NAME, LANE)
#define __HEDDLE_SMALL_LOAD(H, H2, NAME)
#define __HEDDLE_SMALL_STORE(H, H2, NAME)
#endif
__HEDDLE_SMALL(__half, __half2)
__HEDDLE_SMALL(__nv_bfloat16, __nv_bfloat162)
#undef __HEDDLE_SMALL
#undef __HEDDLE_COMPARISON
#undef __HEDDLE_PAIR_COMPARISON
#undef __HEDDLE_PAIR_COMPARISON_1
#undef __HEDDLE_SMALL_MATH
#undef __HEDDLE_SMALL_SHUFFLE
#undef __HEDDLE_SMALL_LOAD
#undef __HEDDLE_SMALL_STORE

// Names that contain the type: NAME is half or bfloat16, PAIR half2 or bfloat162.
#define __HEDDLE_NAMED(H, H2, NAME, PAIR, PTX)                                                                     \
  __HEDDLE_BOTH__ H __float2##NAME(float f) { return H(f); }                                                       \
  __HEDDLE_BOTH__ H __float2##NAME##_rn(float f) { return H(f); }                                                  \
  __HEDDLE_DIRECTED(H, __float2##NAME##_rz, "rz", PTX)                                                             \
  __HEDDLE_BOTH__ H __double2##NAME(double d) { return H(d); }                                                     \
  __HEDDLE_BOTH__ float __##NAME##2float(H h) { return __heddle_wide(h); }                                         \
  __HEDDLE_BOTH__ H2 __float2##PAIR##_rn(float f) { return {H(f), H(f)}; }                                         \
  __HEDDLE_BOTH__ H2 __floats2##PAIR##_rn(float f, float g) { return {H(f), H(g)}; }                               \
  __HEDDLE_BOTH__ H2 __float22##PAIR##_rn(float2 f) { return {H(f.x), H(f.y)}; }                                   \
  __HEDDLE_BOTH__ float2 __##PAIR##2float2(H2 h) { return {__heddle_wide(h.x), __heddle_wide(h.y)}; }              \
  __HEDDLE_BOTH__ H __low2##NAME(H2 h) { return h.x; }                                                             \
  __HEDDLE_BOTH__ H __high2##NAME(H2 h) { return h.y; }                                                            \
  __HEDDLE_BOTH__ H2 __low2##PAIR(H2 h) { return {h.x, h.x}; }                                                     \
  __HEDDLE_BOTH__ H2 __high2##PAIR(H2 h) { return {h.y, h.y}; }                                                    \
  __HEDDLE_BOTH__ H2 __lows2##PAIR(H2 a, H2 b) { return {a.x, b.x}; }                                              \
  __HEDDLE_BOTH__ H2 __highs2##PAIR(H2 a, H2 b) { return {a.y, b.y}; }                                             \
  __HEDDLE_BOTH__ H2 __##NAME##2##PAIR(H h) { return {h, h}; }                                                     \
  __HEDDLE_BOTH__ H2 make_##PAIR(H a, H b) { return {a, b}; }                                                      \
  __HEDDLE_BOTH__ short __##NAME##_as_short(H h) { return static_cast<short>(h.__x); }                             \
  __HEDDLE_BOTH__ unsigned short __##NAME##_as_ushort(H h) { return h.__x; }                                       \
  __HEDDLE_BOTH__ H __short_as_##NAME(short v) { return __heddle_##NAME##_bits(static_cast<unsigned short>(v)); }  \
  __HEDDLE_BOTH__ H __ushort_as_##NAME(unsigned short v) { return __heddle_##NAME##_bits(v); }                     \
  __HEDDLE_TO_INTEGER(H, NAME, short, short, int)                                                                  \
  __HEDDLE_TO_INTEGER(H, NAME, unsigned short, ushort, uint)                                                       \
  __HEDDLE_TO_INTEGER(H, NAME, int, int, int)                                                                      \
  __HEDDLE_TO_INTEGER(H, NAME, unsigned int, uint, uint)                                                           \
  __HEDDLE_TO_INTEGER(H, NAME, long long, ll, ll)                                                                  \
  __HEDDLE_TO_INTEGER(H, NAME, unsigned long long, ull, ull)                                                       \
  __HEDDLE_BOTH__ signed char __##NAME##2char_rz(H h) { return static_cast<signed char>(h); }                      \
  __HEDDLE_BOTH__ unsigned char __##NAME##2uchar_rz(H h) { return static_cast<unsigned char>(h); }                 \
  __HEDDLE_FROM_INTEGER(H, NAME, short, short)                                                                     \
  __HEDDLE_FROM_INTEGER(H, NAME, unsigned short, ushort)                                                           \
  __HEDDLE_FROM_INTEGER(H, NAME, int, int)                                                                         \
  __HEDDLE_FROM_INTEGER(H, NAME, unsigned int, uint)                                                               \
  __HEDDLE_FROM_INTEGER(H, NAME, long long, ll)                                                                    \
  __HEDDLE_FROM_INTEGER(H, NAME, unsigned long long, ull)

// Towards zero, down and up: from the nearest value, one step in the magnitude where it lies on the wrong side.
#define __HEDDLE_DIRECTED(H, FUNCTION, ROUNDING, PTX)                                                              \
  __HEDDLE_BOTH__ H FUNCTION(float f) {                                                                            \
    H h(f);                                                                                                        \
    float back = __heddle_wide(h);                                                                                 \
    if (__builtin_fabsf(back) > __builtin_fabsf(f)) h.__x -= 1;                                                    \
    return h;                                                                                                      \
  }
#define __HEDDLE_UP_DOWN(H, NAME)                                                                                  \
  __HEDDLE_BOTH__ H __float2##NAME##_rd(float f) {                                                                 \
    H h = __float2##NAME##_rz(f);                                                                                  \
    if (__heddle_wide(h) > f) h.__x += 1;                                                                          \
    return h;                                                                                                      \
  }                                                                                                                \
  __HEDDLE_BOTH__ H __float2##NAME##_ru(float f) {                                                                 \
    H h = __float2##NAME##_rz(f);                                                                                  \
    if (__heddle_wide(h) < f) h.__x += 1;                                                                          \
    return h;                                                                                                      \
  }
#define __HEDDLE_TO_INTEGER(H, NAME, T, S, WIDE)                                                                   \
  __HEDDLE_TO_INTEGER_1(H, __##NAME##2##S##_rn, T, __float2##WIDE##_rn, __builtin_rintf)                             \
  __HEDDLE_TO_INTEGER_1(H, __##NAME##2##S##_rz, T, __float2##WIDE##_rz, __builtin_truncf)                            \
  __HEDDLE_TO_INTEGER_1(H, __##NAME##2##S##_ru, T, __float2##WIDE##_ru, __builtin_ceilf)                             \
  __HEDDLE_TO_INTEGER_1(H, __##NAME##2##S##_rd, T, __float2##WIDE##_rd, __builtin_floorf)
// Short results saturate too. The host has no conversions of the machine's that saturate.
#if defined(__CUDA_ARCH__)
#define __HEDDLE_TO_INTEGER_1(H, FUNCTION, T, CONVERT, ROUND)                                                      \
  __HEDDLE_BOTH__ T FUNCTION(H h) { return __heddle_saturated_integer<T>(CONVERT(__heddle_wide(h))); }
#else
#define __HEDDLE_TO_INTEGER_1(H, FUNCTION, T, CONVERT, ROUND)                                                      \
  __HEDDLE_BOTH__ T FUNCTION(H h) { return __heddle_saturated_integer<T>(ROUND(__heddle_wide(h))); }
#endif
// Through double with a sticky last bit: one rounding. Directed forms step from there.
#define __HEDDLE_FROM_INTEGER(H, NAME, T, S)                                                                       \
  __HEDDLE_BOTH__ H __##S##2##NAME##_rn(T v) { return H(v); }                                                      \
  __HEDDLE_BOTH__ H __##S##2##NAME##_rz(T v) {                                                                     \
    H h(v);                                                                                                        \
    double d = __heddle_odd_integer(v);                                                                            \
    if (__builtin_fabs(static_cast<double>(__heddle_wide(h))) > __builtin_fabs(d)) h.__x -= 1;                     \
    return h;                                                                                                      \
  }                                                                                                                \
  __HEDDLE_BOTH__ H __##S##2##NAME##_rd(T v) {                                                                     \
    H h = __##S##2##NAME##_rz(v);                                                                                  \
    if (static_cast<double>(__heddle_wide(h)) > __heddle_odd_integer(v)) h.__x += 1;                               \
    return h;                                                                                                      \
  }                                                                                                                \
  __HEDDLE_BOTH__ H __##S##2##NAME##_ru(T v) {                                                                     \
    H h = __##S##2##NAME##_rz(v);                                                                                  \
    if (static_cast<double>(__heddle_wide(h)) < __heddle_odd_integer(v)) h.__x += 1;                               \
    return h;                                                                                                      \
  }
// v as a double that compares with 16-bit floats as v itself does.
template <typename T>
__HEDDLE_BOTH__ double __heddle_odd_integer(T v) {
  bool negative = v < T(0);
  unsigned long long m = negative ? 0ull - static_cast<unsigned long long>(v) : static_cast<unsigned long long>(v);
  double d = __heddle_odd_double(static_cast<__half*>(nullptr), m);
  return negative ? -d : d;
}
__HEDDLE_NAMED(__half, __half2, half, half2, "f16")
__HEDDLE_NAMED(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162, "bf16")
__HEDDLE_UP_DOWN(__half, half)
__HEDDLE_UP_DOWN(__nv_bfloat16, bfloat16)
#undef __HEDDLE_NAMED
#undef __HEDDLE_DIRECTED
#undef __HEDDLE_UP_DOWN
#undef __HEDDLE_TO_INTEGER
#undef __HEDDLE_TO_INTEGER_1
#undef __HEDDLE_FROM_INTEGER

// Names of one type alone.
__HEDDLE_BOTH__ __half2 __lowhigh2highlow(__half2 h) { return {h.y, h.x}; }
__HEDDLE_BOTH__ __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 h) { return {h.y, h.x}; }
__HEDDLE_BOTH__ __half2 __halves2half2(__half a, __half b) { return {a, b}; }
__HEDDLE_BOTH__ __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }

#if defined(__CUDA__)
// Atomic addition.
__HEDDLE_NAMED_DEVICE__ __half2 atomicAdd(__half2* p, __half2 v) {
  unsigned int old;
  __asm__ volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
                   : "=r"(old) : "l"(p), "r"(__builtin_bit_cast(unsigned int, v)) : "memory");
  return __builtin_bit_cast(__half2, old);
}
__HEDDLE_NAMED_DEVICE__ __half atomicAdd(__half* p, __half v) {
  unsigned short old;
  __asm__ volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(p), "h"(v.__x) : "memory");
  return __heddle_half_bits(old);
}
// Before sm_90 bfloat16 has no atomic of its own: compare and swap.
__HEDDLE_NAMED_DEVICE__ __nv_bfloat16 atomicAdd(__nv_bfloat16* p, __nv_bfloat16 v) {
  unsigned short old = *reinterpret_cast<volatile unsigned short*>(p), seen;
  do {
    seen = old;
    old = atomicCAS(reinterpret_cast<unsigned short*>(p), seen, __hadd(__heddle_bfloat16_bits(seen), v).__x);
  } while (old != seen);
  return __heddle_bfloat16_bits(old);
}
__HEDDLE_NAMED_DEVICE__ __nv_bfloat162 atomicAdd(__nv_bfloat162* p, __nv_bfloat162 v) {
  unsigned int old = *reinterpret_cast<volatile unsigned int*>(p), seen;
  do {
    seen = old;
    __nv_bfloat162 sum = __hadd2(__builtin_bit_cast(__nv_bfloat162, seen), v);
    old = atomicCAS(reinterpret_cast<unsigned int*>(p), seen, __builtin_bit_cast(unsigned int, sum));
  } while (old != seen);
  return __builtin_bit_cast(__nv_bfloat162, old);
}
#endif
#undef __HEDDLE_NAMED_DEVICE__
