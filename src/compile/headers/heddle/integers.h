// CUDA's integer intrinsics, and min and max.
#pragma once
#pragma clang system_header

__HEDDLE_DEVICE__ int __clz(int x) { return __builtin_clzg(static_cast<unsigned int>(x), 32); }
__HEDDLE_DEVICE__ int __clzll(long long x) { return __builtin_clzg(static_cast<unsigned long long>(x), 64); }
__HEDDLE_DEVICE__ int __popc(unsigned int x) { return __builtin_popcount(x); }
__HEDDLE_DEVICE__ int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__HEDDLE_DEVICE__ int __ffs(int x) { return __builtin_ffs(x); }
__HEDDLE_DEVICE__ int __ffsll(long long x) { return __builtin_ffsll(x); }
__HEDDLE_DEVICE__ unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
__HEDDLE_DEVICE__ unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
__HEDDLE_DEVICE__ unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  unsigned int n;
  __asm__("fns.b32 %0, %1, %2, %3;" : "=r"(n) : "r"(mask), "r"(base), "r"(offset));
  return n;
}

__HEDDLE_DEVICE__ int __mulhi(int x, int y) { return __nvvm_mulhi_i(x, y); }
__HEDDLE_DEVICE__ unsigned int __umulhi(unsigned int x, unsigned int y) { return __nvvm_mulhi_ui(x, y); }
__HEDDLE_DEVICE__ long long __mul64hi(long long x, long long y) { return __nvvm_mulhi_ll(x, y); }
__HEDDLE_DEVICE__ unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return __nvvm_mulhi_ull(x, y);
}
__HEDDLE_DEVICE__ int __mul24(int x, int y) { return __nvvm_mul24_i(x, y); }
__HEDDLE_DEVICE__ unsigned int __umul24(unsigned int x, unsigned int y) { return __nvvm_mul24_ui(x, y); }
__HEDDLE_DEVICE__ int mulhi(int x, int y) { return __mulhi(x, y); }
__HEDDLE_DEVICE__ unsigned int umulhi(unsigned int x, unsigned int y) { return __umulhi(x, y); }
__HEDDLE_DEVICE__ long long mul64hi(long long x, long long y) { return __mul64hi(x, y); }
__HEDDLE_DEVICE__ unsigned long long umul64hi(unsigned long long x, unsigned long long y) { return __umul64hi(x, y); }
__HEDDLE_DEVICE__ int mul24(int x, int y) { return __mul24(x, y); }
__HEDDLE_DEVICE__ unsigned int umul24(unsigned int x, unsigned int y) { return __umul24(x, y); }
__HEDDLE_DEVICE__ unsigned int __sad(int x, int y, unsigned int z) {
  return __nvvm_sad_i(x, y, static_cast<int>(z));
}
__HEDDLE_DEVICE__ unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) { return __nvvm_sad_ui(x, y, z); }
// Averages without overflow, rounded down and up.
__HEDDLE_DEVICE__ int __hadd(int x, int y) { return (x & y) + ((x ^ y) >> 1); }
__HEDDLE_DEVICE__ int __rhadd(int x, int y) { return (x | y) - ((x ^ y) >> 1); }
__HEDDLE_DEVICE__ unsigned int __uhadd(unsigned int x, unsigned int y) { return (x & y) + ((x ^ y) >> 1); }
__HEDDLE_DEVICE__ unsigned int __urhadd(unsigned int x, unsigned int y) { return (x | y) - ((x ^ y) >> 1); }
__HEDDLE_DEVICE__ unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  return __nvvm_prmt(x, y, selector & 0x7777u);
}

#define __HEDDLE_FUNNEL(NAME, INSTRUCTION)                                                              \
  __HEDDLE_DEVICE__ unsigned int NAME(unsigned int low, unsigned int high, unsigned int shift) {        \
    unsigned int y;                                                                                     \
    __asm__(INSTRUCTION ".b32 %0, %1, %2, %3;" : "=r"(y) : "r"(low), "r"(high), "r"(shift));            \
    return y;                                                                                           \
  }
__HEDDLE_FUNNEL(__funnelshift_l, "shf.l.wrap")
__HEDDLE_FUNNEL(__funnelshift_lc, "shf.l.clamp")
__HEDDLE_FUNNEL(__funnelshift_r, "shf.r.wrap")
__HEDDLE_FUNNEL(__funnelshift_rc, "shf.r.clamp")
#undef __HEDDLE_FUNNEL

// Dot products of bytes, and of half words with bytes.
#define __HEDDLE_DOT(NAME, INSTRUCTION, A, B, C)                                           \
  __HEDDLE_DEVICE__ C NAME(A a, B b, C c) {                                                \
    C y;                                                                                   \
    __asm__(INSTRUCTION " %0, %1, %2, %3;"                                                 \
            : "=r"(y)                                                                      \
            : "r"(__builtin_bit_cast(int, a)), "r"(__builtin_bit_cast(int, b)), "r"(c));   \
    return y;                                                                              \
  }
__HEDDLE_DOT(__dp4a, "dp4a.s32.s32", int, int, int)
__HEDDLE_DOT(__dp4a, "dp4a.u32.u32", unsigned int, unsigned int, unsigned int)
__HEDDLE_DOT(__dp4a, "dp4a.s32.s32", char4, char4, int)
__HEDDLE_DOT(__dp4a, "dp4a.u32.u32", uchar4, uchar4, unsigned int)
__HEDDLE_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
__HEDDLE_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, unsigned int, unsigned int)
__HEDDLE_DOT(__dp2a_lo, "dp2a.lo.s32.s32", short2, char4, int)
__HEDDLE_DOT(__dp2a_lo, "dp2a.lo.u32.u32", ushort2, uchar4, unsigned int)
__HEDDLE_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
__HEDDLE_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, unsigned int, unsigned int)
__HEDDLE_DOT(__dp2a_hi, "dp2a.hi.s32.s32", short2, char4, int)
__HEDDLE_DOT(__dp2a_hi, "dp2a.hi.u32.u32", ushort2, uchar4, unsigned int)
#undef __HEDDLE_DOT

// min and max of two numbers of built-in type, in both kinds of code.
#define __HEDDLE_MIN_MAX(A, B, T)                                                                                        \
  __HEDDLE_BOTH__ T min(A x, B y) { return static_cast<T>(y) < static_cast<T>(x) ? static_cast<T>(y) : static_cast<T>(x); } \
  __HEDDLE_BOTH__ T max(A x, B y) { return static_cast<T>(x) < static_cast<T>(y) ? static_cast<T>(y) : static_cast<T>(x); }
__HEDDLE_MIN_MAX(int, int, int)
__HEDDLE_MIN_MAX(unsigned int, unsigned int, unsigned int)
__HEDDLE_MIN_MAX(int, unsigned int, unsigned int)
__HEDDLE_MIN_MAX(unsigned int, int, unsigned int)
__HEDDLE_MIN_MAX(long, long, long)
__HEDDLE_MIN_MAX(unsigned long, unsigned long, unsigned long)
__HEDDLE_MIN_MAX(long, unsigned long, unsigned long)
__HEDDLE_MIN_MAX(unsigned long, long, unsigned long)
__HEDDLE_MIN_MAX(long long, long long, long long)
__HEDDLE_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
__HEDDLE_MIN_MAX(long long, unsigned long long, unsigned long long)
__HEDDLE_MIN_MAX(unsigned long long, long long, unsigned long long)
#undef __HEDDLE_MIN_MAX
// The number where one argument is NaN.
#define __HEDDLE_MIN_MAX(A, B, T, S)                                                                                \
  __HEDDLE_BOTH__ T min(A x, B y) { return __builtin_fmin##S(static_cast<T>(x), static_cast<T>(y)); }               \
  __HEDDLE_BOTH__ T max(A x, B y) { return __builtin_fmax##S(static_cast<T>(x), static_cast<T>(y)); }
__HEDDLE_MIN_MAX(float, float, float, f)
__HEDDLE_MIN_MAX(double, double, double, )
__HEDDLE_MIN_MAX(float, double, double, )
__HEDDLE_MIN_MAX(double, float, double, )
#undef __HEDDLE_MIN_MAX
#define __HEDDLE_MIN_MAX(PREFIX, T)                                   \
  __HEDDLE_BOTH__ T PREFIX##min(T x, T y) { return y < x ? y : x; }   \
  __HEDDLE_BOTH__ T PREFIX##max(T x, T y) { return x < y ? y : x; }
__HEDDLE_MIN_MAX(u, unsigned int)
__HEDDLE_MIN_MAX(ll, long long)
__HEDDLE_MIN_MAX(ull, unsigned long long)
#undef __HEDDLE_MIN_MAX
