// __half, __half2, __nv_bfloat16 and __nv_bfloat162: storage, conversions, and the arithmetic that everything else is made
// of. The operations go through the compiler's own 16-bit types, so that it may fuse and vectorise them.
#pragma once
#pragma clang system_header

struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};
struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __nv_bfloat162_raw {
  unsigned short x, y;
};

typedef _Float16 __heddle_f16x2 __attribute__((ext_vector_type(2)));

// Rounding to bfloat16 to nearest even, with NaN kept.
__HEDDLE_BOTH__ unsigned short __heddle_float_to_bfloat16(float f) {
#if __CUDA_ARCH__ >= 800
  unsigned short b;
  __asm__("cvt.rn.bf16.f32 %0, %1;" : "=h"(b) : "f"(f));
  return b;
#else
  unsigned int u = __builtin_bit_cast(unsigned int, f);
  if (f != f) return 0x7fff;
  return static_cast<unsigned short>((u + 0x7fffu + ((u >> 16) & 1)) >> 16);
#endif
}
__HEDDLE_BOTH__ float __heddle_bfloat16_to_float(unsigned short b) {
  return __builtin_bit_cast(float, static_cast<unsigned int>(b) << 16);
}
__HEDDLE_BOTH__ unsigned short __heddle_float_to_half(float f) {
  return __builtin_bit_cast(unsigned short, static_cast<_Float16>(f));
}
__HEDDLE_BOTH__ float __heddle_half_to_float(unsigned short b) { return __builtin_bit_cast(_Float16, b); }
// Double precision is rounded once: through float with the sticky bit in its last place (round to odd).
__HEDDLE_BOTH__ float __heddle_odd_float(double d) {
  float f = static_cast<float>(d);
  double back = f;
  unsigned int u = __builtin_bit_cast(unsigned int, f);
  if (back != d && d == d && !(u & 1)) {
    // The neighbour on d's side is odd.
    bool away = (d > back) == (back > 0.0 || (back == 0.0 && d > 0.0));
    u = back == 0.0 ? ((d < 0.0 ? 0x80000000u : 0u) | 1u) : (away ? u + 1 : u - 1);
    f = __builtin_bit_cast(float, u);
  }
  return f;
}

// The nearest value of the type. NaN is 0, and the least one of 64 bits.
template <typename T, typename V>
__HEDDLE_BOTH__ T __heddle_saturated_integer(V v) {
  constexpr T most = static_cast<T>(-1) > 0 ? static_cast<T>(-1) : static_cast<T>((1ull << (8 * sizeof(T) - 1)) - 1);
  constexpr T least = static_cast<T>(-1) > 0 ? 0 : static_cast<T>(-most - 1);
  if (v != v) return sizeof(T) < 8 ? T(0) : static_cast<T>(1ull << 63);
  return v >= static_cast<V>(most) ? most : (v <= static_cast<V>(least) ? least : static_cast<T>(v));
}
// Towards zero. The device's own conversions saturate to 32 and 64 bits.
template <typename T>
__HEDDLE_BOTH__ T __heddle_to_integer(float f) {
#if defined(__CUDA_ARCH__)
  constexpr bool is_unsigned = static_cast<T>(-1) > 0;
  if (sizeof(T) == 8) return is_unsigned ? static_cast<T>(__float2ull_rz(f)) : static_cast<T>(__float2ll_rz(f));
  if (sizeof(T) == 4 && is_unsigned) return static_cast<T>(__float2uint_rz(f));
  return __heddle_saturated_integer<T>(__float2int_rz(f));
#else
  return __heddle_saturated_integer<T>(f);
#endif
}

#define __HEDDLE_SMALL_FLOAT(H, RAW, TO_FLOAT, FROM_FLOAT)                                                          \
  struct __attribute__((aligned(2))) H {                                                                            \
    unsigned short __x;                                                                                             \
    H() = default;                                                                                                  \
    __HEDDLE_MEMBER__ constexpr H(const RAW& r) : __x(r.x) {}                                                       \
    __HEDDLE_MEMBER__ H(float f) : __x(FROM_FLOAT(f)) {}                                                            \
    __HEDDLE_MEMBER__ H(double d) : __x(FROM_FLOAT(__heddle_odd_float(d))) {}                                       \
    __HEDDLE_MEMBER__ H(short v) : H(static_cast<float>(v)) {}                                                      \
    __HEDDLE_MEMBER__ H(unsigned short v) : H(static_cast<float>(v)) {}                                             \
    __HEDDLE_MEMBER__ H(int v) : H(static_cast<double>(v)) {}                                                       \
    __HEDDLE_MEMBER__ H(unsigned int v) : H(static_cast<double>(v)) {}                                              \
    __HEDDLE_MEMBER__ H(long v) : H(static_cast<long long>(v)) {}                                                   \
    __HEDDLE_MEMBER__ H(unsigned long v) : H(static_cast<unsigned long long>(v)) {}                                 \
    __HEDDLE_MEMBER__ H(long long v);                                                                               \
    __HEDDLE_MEMBER__ H(unsigned long long v);                                                                      \
    __HEDDLE_MEMBER__ H& operator=(float f) { return *this = H(f); }                                                \
    __HEDDLE_MEMBER__ H& operator=(double d) { return *this = H(d); }                                               \
    __HEDDLE_MEMBER__ H& operator=(short v) { return *this = H(v); }                                                \
    __HEDDLE_MEMBER__ H& operator=(unsigned short v) { return *this = H(v); }                                       \
    __HEDDLE_MEMBER__ H& operator=(int v) { return *this = H(v); }                                                  \
    __HEDDLE_MEMBER__ H& operator=(unsigned int v) { return *this = H(v); }                                         \
    __HEDDLE_MEMBER__ H& operator=(long long v) { return *this = H(v); }                                            \
    __HEDDLE_MEMBER__ H& operator=(unsigned long long v) { return *this = H(v); }                                   \
    __HEDDLE_MEMBER__ operator RAW() const { return {__x}; }                                                        \
    __HEDDLE_MEMBER__ operator float() const { return TO_FLOAT(__x); }                                              \
    __HEDDLE_MEMBER__ operator bool() const { return (__x & 0x7fff) != 0; }                                         \
    __HEDDLE_MEMBER__ operator char() const { return __heddle_to_integer<char>(TO_FLOAT(__x)); }                            \
    __HEDDLE_MEMBER__ operator signed char() const { return __heddle_to_integer<signed char>(TO_FLOAT(__x)); }              \
    __HEDDLE_MEMBER__ operator unsigned char() const { return __heddle_to_integer<unsigned char>(TO_FLOAT(__x)); }          \
    __HEDDLE_MEMBER__ operator short() const { return __heddle_to_integer<short>(TO_FLOAT(__x)); }                          \
    __HEDDLE_MEMBER__ operator unsigned short() const { return __heddle_to_integer<unsigned short>(TO_FLOAT(__x)); }        \
    __HEDDLE_MEMBER__ operator int() const { return __heddle_to_integer<int>(TO_FLOAT(__x)); }                              \
    __HEDDLE_MEMBER__ operator unsigned int() const { return __heddle_to_integer<unsigned int>(TO_FLOAT(__x)); }            \
    __HEDDLE_MEMBER__ operator long() const { return __heddle_to_integer<long>(TO_FLOAT(__x)); }                            \
    __HEDDLE_MEMBER__ operator unsigned long() const { return __heddle_to_integer<unsigned long>(TO_FLOAT(__x)); }          \
    __HEDDLE_MEMBER__ operator long long() const { return __heddle_to_integer<long long>(TO_FLOAT(__x)); }                  \
    __HEDDLE_MEMBER__ operator unsigned long long() const { return __heddle_to_integer<unsigned long long>(TO_FLOAT(__x)); } \
  };                                                                                                                \
  __HEDDLE_BOTH__ float __heddle_wide(H h) { return TO_FLOAT(h.__x); }                                              \
  __HEDDLE_BOTH__ void __heddle_narrow(H* h, float f) { h->__x = FROM_FLOAT(f); }                                   \
  /* 64-bit integers: sticky rounding to what double holds, then as double. */                                      \
  __HEDDLE_BOTH__ double __heddle_odd_double(H*, unsigned long long v) {                                            \
    unsigned long long high = v & ~0x7ffull;                                                                        \
    return v >> 53 ? static_cast<double>(high | ((v & 0x7ff) ? 0x800 : 0)) : static_cast<double>(v);                \
  }                                                                                                                 \
  __HEDDLE_INLINE_MEMBER__ H::H(unsigned long long v) : H(__heddle_odd_double(static_cast<H*>(nullptr), v)) {}      \
  __HEDDLE_INLINE_MEMBER__ H::H(long long v)                                                                        \
      : H(v < 0 ? -__heddle_odd_double(static_cast<H*>(nullptr), 0ull - static_cast<unsigned long long>(v))         \
                : __heddle_odd_double(static_cast<H*>(nullptr), static_cast<unsigned long long>(v))) {}
#if defined(__CUDA__)
#define __HEDDLE_MEMBER__ __attribute__((host, device, always_inline, nodebug))
#else
#define __HEDDLE_MEMBER__ __attribute__((always_inline, nodebug))
#endif
#define __HEDDLE_INLINE_MEMBER__ inline __HEDDLE_MEMBER__
__HEDDLE_SMALL_FLOAT(__half, __half_raw, __heddle_half_to_float, __heddle_float_to_half)
__HEDDLE_SMALL_FLOAT(__nv_bfloat16, __nv_bfloat16_raw, __heddle_bfloat16_to_float, __heddle_float_to_bfloat16)
#undef __HEDDLE_SMALL_FLOAT

#define __HEDDLE_SMALL_PAIR(H2, H, RAW2)                                                         \
  struct __attribute__((aligned(4))) H2 {                                                        \
    H x, y;                                                                                      \
    H2() = default;                                                                              \
    __HEDDLE_MEMBER__ constexpr H2(const H& a, const H& b) : x(a), y(b) {}                       \
    __HEDDLE_MEMBER__ H2(const RAW2& r) {                                                        \
      x.__x = r.x;                                                                               \
      y.__x = r.y;                                                                               \
    }                                                                                            \
    __HEDDLE_MEMBER__ operator RAW2() const { return {x.__x, y.__x}; }                           \
  };
__HEDDLE_SMALL_PAIR(__half2, __half, __half2_raw)
__HEDDLE_SMALL_PAIR(__nv_bfloat162, __nv_bfloat16, __nv_bfloat162_raw)
#undef __HEDDLE_SMALL_PAIR
#undef __HEDDLE_MEMBER__
#undef __HEDDLE_INLINE_MEMBER__

__HEDDLE_BOTH__ __half __heddle_half_bits(unsigned short b) {
  __half h;
  h.__x = b;
  return h;
}
__HEDDLE_BOTH__ __nv_bfloat16 __heddle_bfloat16_bits(unsigned short b) {
  __nv_bfloat16 h;
  h.__x = b;
  return h;
}

// Arithmetic of half: the compiler's own.
__HEDDLE_BOTH__ _Float16 __heddle_f16(__half h) { return __builtin_bit_cast(_Float16, h.__x); }
__HEDDLE_BOTH__ __half __heddle_from_f16(_Float16 f) { return __heddle_half_bits(__builtin_bit_cast(unsigned short, f)); }
__HEDDLE_BOTH__ __heddle_f16x2 __heddle_f16(__half2 h) {
  return __builtin_bit_cast(__heddle_f16x2, h);
}
__HEDDLE_BOTH__ __half2 __heddle_from_f16(__heddle_f16x2 f) { return __builtin_bit_cast(__half2, f); }

// The last operands in a fused multiply-add keep its single rounding; everything else of bfloat16 is exact in float before
// it is rounded, or close enough to a tie never to matter (24 bits are more than twice 8, and two).
__HEDDLE_BOTH__ __half __heddle_fma(__half a, __half b, __half c) {
#if defined(__CUDA_ARCH__)
  unsigned short d;
  __asm__("fma.rn.f16 %0, %1, %2, %3;" : "=h"(d) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
  return __heddle_half_bits(d);
#else
  return __half(static_cast<double>(__heddle_wide(a)) * __heddle_wide(b) + __heddle_wide(c));
#endif
}
__HEDDLE_BOTH__ __half2 __heddle_fma(__half2 a, __half2 b, __half2 c) {
#if defined(__CUDA_ARCH__)
  unsigned int d;
  __asm__("fma.rn.f16x2 %0, %1, %2, %3;"
          : "=r"(d)
          : "r"(__builtin_bit_cast(unsigned int, a)), "r"(__builtin_bit_cast(unsigned int, b)),
            "r"(__builtin_bit_cast(unsigned int, c)));
  return __builtin_bit_cast(__half2, d);
#else
  return {__heddle_fma(a.x, b.x, c.x), __heddle_fma(a.y, b.y, c.y)};
#endif
}
__HEDDLE_BOTH__ __nv_bfloat16 __heddle_fma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
#if __CUDA_ARCH__ >= 800
  unsigned short d;
  __asm__("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(d) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
  return __heddle_bfloat16_bits(d);
#else
  return __nv_bfloat16(static_cast<double>(__heddle_wide(a)) * __heddle_wide(b) + __heddle_wide(c));
#endif
}
__HEDDLE_BOTH__ __nv_bfloat162 __heddle_fma(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
#if __CUDA_ARCH__ >= 800
  unsigned int d;
  __asm__("fma.rn.bf16x2 %0, %1, %2, %3;"
          : "=r"(d)
          : "r"(__builtin_bit_cast(unsigned int, a)), "r"(__builtin_bit_cast(unsigned int, b)),
            "r"(__builtin_bit_cast(unsigned int, c)));
  return __builtin_bit_cast(__nv_bfloat162, d);
#else
  return {__heddle_fma(a.x, b.x, c.x), __heddle_fma(a.y, b.y, c.y)};
#endif
}

#define __HEDDLE_HALF_OPERATION(NAME, OP)                                                                      \
  __HEDDLE_BOTH__ __half __heddle_##NAME(__half a, __half b) {                                                 \
    return __heddle_from_f16(static_cast<_Float16>(__heddle_f16(a) OP __heddle_f16(b)));                       \
  }                                                                                                            \
  __HEDDLE_BOTH__ __half2 __heddle_##NAME(__half2 a, __half2 b) {                                              \
    return __heddle_from_f16(__heddle_f16(a) OP __heddle_f16(b));                                              \
  }                                                                                                            \
  __HEDDLE_BOTH__ __nv_bfloat16 __heddle_##NAME(__nv_bfloat16 a, __nv_bfloat16 b) {                            \
    return __nv_bfloat16(__heddle_wide(a) OP __heddle_wide(b));                                                \
  }                                                                                                            \
  __HEDDLE_BOTH__ __nv_bfloat162 __heddle_##NAME(__nv_bfloat162 a, __nv_bfloat162 b) {                         \
    return {__heddle_##NAME(a.x, b.x), __heddle_##NAME(a.y, b.y)};                                             \
  }
__HEDDLE_HALF_OPERATION(add_rn, +)
__HEDDLE_HALF_OPERATION(sub_rn, -)
__HEDDLE_HALF_OPERATION(mul_rn, *)
// These may be fused with their neighbours, as a program's own a * b + c.
#if !defined(HEDDLE_FP_CONTRACT_OFF)
#pragma clang fp contract(fast)
#endif
__HEDDLE_HALF_OPERATION(add, +)
__HEDDLE_HALF_OPERATION(sub, -)
__HEDDLE_HALF_OPERATION(mul, *)
#pragma clang fp contract(off)
#undef __HEDDLE_HALF_OPERATION
__HEDDLE_BOTH__ __half __heddle_div(__half a, __half b) { return __half(__heddle_wide(a) / __heddle_wide(b)); }
__HEDDLE_BOTH__ __nv_bfloat16 __heddle_div(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16(__heddle_wide(a) / __heddle_wide(b));
}
