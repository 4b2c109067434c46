// Exact building blocks of the math functions: IEEE operations, bits, and scaling by powers of two. The headers in this
// folder also compile as plain C++ for the host, where tests compare every function with MPFR; both give the same bits,
// because nothing but correctly rounded operations is used.
#pragma once
#pragma clang system_header

#if defined(__CUDA__)
#define __HEDDLE_MATH__ static __inline__ __attribute__((always_inline, nodebug, device))
#define __HEDDLE_MATH_OUTLINE__ static __attribute__((noinline, device, unused))
#define __HEDDLE_TABLE__ static __attribute__((device)) const
#else
#define __HEDDLE_MATH__ [[maybe_unused]] static inline
#define __HEDDLE_MATH_OUTLINE__ [[maybe_unused]] static inline
#define __HEDDLE_TABLE__ static const
#endif

namespace __heddle {

using u32 = unsigned int;
using i32 = int;
using u64 = unsigned long long;
using i64 = long long;

#if defined(__CUDA__)
__HEDDLE_MATH__ float fma(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
__HEDDLE_MATH__ double fma(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
__HEDDLE_MATH__ float sqrt(float x) { return __nvvm_sqrt_rn_f(x); }
__HEDDLE_MATH__ double sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
__HEDDLE_MATH__ u64 mul_high(u64 a, u64 b) { return __nvvm_mulhi_ull(a, b); }
#else
__HEDDLE_MATH__ float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__HEDDLE_MATH__ double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
__HEDDLE_MATH__ float sqrt(float x) { return __builtin_sqrtf(x); }
__HEDDLE_MATH__ double sqrt(double x) { return __builtin_sqrt(x); }
__HEDDLE_MATH__ u64 mul_high(u64 a, u64 b) { return static_cast<u64>((static_cast<unsigned __int128>(a) * b) >> 64); }
#endif

__HEDDLE_MATH__ u32 bits(float x) { return __builtin_bit_cast(u32, x); }
__HEDDLE_MATH__ u64 bits(double x) { return __builtin_bit_cast(u64, x); }
__HEDDLE_MATH__ float from_bits(u32 x) { return __builtin_bit_cast(float, x); }
__HEDDLE_MATH__ double from_bits(u64 x) { return __builtin_bit_cast(double, x); }
// The upper half of a double as an integer: sign, exponent, 20 bits of the significand.
__HEDDLE_MATH__ i32 high_word(double x) { return static_cast<i32>(bits(x) >> 32); }

__HEDDLE_MATH__ float abs(float x) { return __builtin_fabsf(x); }
__HEDDLE_MATH__ double abs(double x) { return __builtin_fabs(x); }
__HEDDLE_MATH__ float copysign(float x, float s) { return from_bits((bits(x) & 0x7fffffffu) | (bits(s) & 0x80000000u)); }
__HEDDLE_MATH__ double copysign(double x, double s) {
  return from_bits((bits(x) & 0x7fffffffffffffffull) | (bits(s) & 0x8000000000000000ull));
}
__HEDDLE_MATH__ float rint(float x) { return __builtin_rintf(x); }
__HEDDLE_MATH__ double rint(double x) { return __builtin_rint(x); }
__HEDDLE_MATH__ float trunc(float x) { return __builtin_truncf(x); }
__HEDDLE_MATH__ double trunc(double x) { return __builtin_trunc(x); }
__HEDDLE_MATH__ float floor(float x) { return __builtin_floorf(x); }
__HEDDLE_MATH__ double floor(double x) { return __builtin_floor(x); }
__HEDDLE_MATH__ bool is_nan(float x) { return x != x; }
__HEDDLE_MATH__ bool is_nan(double x) { return x != x; }
__HEDDLE_MATH__ float infinity_f() { return from_bits(0x7f800000u); }
__HEDDLE_MATH__ float nan_f() { return from_bits(0x7fffffffu); }
__HEDDLE_MATH__ double infinity_d() { return from_bits(0x7ff0000000000000ull); }
__HEDDLE_MATH__ double nan_d() { return from_bits(0x7ff8000000000000ull); }

// Flips the sign of x where bit `bit` of q is set.
__HEDDLE_MATH__ float flip_sign(float x, u32 q, int bit) { return from_bits(bits(x) ^ ((q >> bit) << 31)); }
__HEDDLE_MATH__ double flip_sign(double x, u32 q, int bit) {
  return from_bits(bits(x) ^ (static_cast<u64>(q >> bit) << 63));
}

// The integer nearest to x, in two forms, for |x| below 2^22 (2^31 for double): the sum with `magic` has it in its low bits.
__HEDDLE_MATH__ float magic_f() { return 12582912.0f; }
__HEDDLE_MATH__ double magic_d() { return 6755399441055744.0; }
__HEDDLE_MATH__ i32 magic_int(float t) { return static_cast<i32>(bits(t) - 0x4b400000u); }
__HEDDLE_MATH__ i32 magic_int(double t) { return static_cast<i32>(bits(t)); }

// 2^k for k in the range of normal exponents.
__HEDDLE_MATH__ float power_f(i32 k) { return from_bits(static_cast<u32>(k + 127) << 23); }
__HEDDLE_MATH__ double power_d(i32 k) { return from_bits(static_cast<u64>(static_cast<u32>(k + 1023)) << 52); }
// x * 2^k with one rounding, for |k| up to 250 (2000).
__HEDDLE_MATH__ float scale(float x, i32 k) { return x * power_f(k >> 1) * power_f(k - (k >> 1)); }
__HEDDLE_MATH__ double scale(double x, i32 k) { return x * power_d(k >> 1) * power_d(k - (k >> 1)); }

// x limited to [low, high]; NaN stays.
__HEDDLE_MATH__ float limit(float x, float low, float high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}
__HEDDLE_MATH__ double limit(double x, double low, double high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}

// An unevaluated sum.
struct pair_d {
  double hi, lo;
};
// a + b exactly, where |a| >= |b| or a is 0.
__HEDDLE_MATH__ pair_d fast_two_sum(double a, double b) {
  double s = a + b;
  return {s, b - (s - a)};
}
__HEDDLE_MATH__ pair_d two_product(double a, double b) {
  double p = a * b;
  return {p, fma(a, b, -p)};
}

}  // namespace __heddle
