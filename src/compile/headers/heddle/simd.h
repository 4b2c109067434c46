// SIMD within a register: CUDA's operations on two half words or four bytes of a word.
#pragma once
#pragma clang system_header

// F on each part of a and b; T is the type of a part, int the type of the arithmetic.
template <typename T, typename F>
__HEDDLE_DEVICE__ unsigned int __heddle_parts(unsigned int a, unsigned int b, F f) {
  constexpr int width = 8 * sizeof(T);
  constexpr unsigned int ones = width == 8 ? 0xffu : 0xffffu;
  unsigned int result = 0;
#pragma unroll
  for (int shift = 0; shift < 32; shift += width) {
    int x = static_cast<T>(a >> shift), y = static_cast<T>(b >> shift);
    result |= (static_cast<unsigned int>(f(x, y)) & ones) << shift;
  }
  return result;
}
template <typename T>
__HEDDLE_DEVICE__ int __heddle_clamped(int v) {
  constexpr int most = static_cast<T>(-1) > 0 ? static_cast<T>(-1) : (1 << (8 * sizeof(T) - 1)) - 1;
  constexpr int least = static_cast<T>(-1) > 0 ? 0 : -most - 1;
  return v > most ? most : (v < least ? least : v);
}

#define __HEDDLE_PARTS_2(NAME, T, EXPRESSION)                                              \
  __HEDDLE_DEVICE__ unsigned int NAME(unsigned int a, unsigned int b) {                    \
    return __heddle_parts<T>(a, b, [](int x, int y) { return EXPRESSION; });               \
  }
#define __HEDDLE_PARTS_1(NAME, T, EXPRESSION)                                              \
  __HEDDLE_DEVICE__ unsigned int NAME(unsigned int a) {                                    \
    return __heddle_parts<T>(a, 0u, [](int x, int) { return EXPRESSION; });                \
  }
#define __HEDDLE_SUM(NAME, T)                                                              \
  __HEDDLE_DEVICE__ unsigned int NAME(unsigned int a, unsigned int b) {                    \
    unsigned int sum = 0;                                                                  \
    __heddle_parts<T>(a, b, [&](int x, int y) {                                            \
      sum += static_cast<unsigned int>(x > y ? x - y : y - x);                             \
      return 0;                                                                            \
    });                                                                                    \
    return sum;                                                                            \
  }
#define __HEDDLE_COMPARE(N, S, U, NAME, OP)                                                \
  __HEDDLE_PARTS_2(__vcmp##NAME##s##N, S, x OP y ? -1 : 0)                                 \
  __HEDDLE_PARTS_2(__vcmp##NAME##u##N, U, x OP y ? -1 : 0)                                 \
  __HEDDLE_PARTS_2(__vset##NAME##s##N, S, x OP y ? 1 : 0)                                  \
  __HEDDLE_PARTS_2(__vset##NAME##u##N, U, x OP y ? 1 : 0)
#define __HEDDLE_SIMD(N, S, U)                                                             \
  __HEDDLE_PARTS_1(__vabs##N, S, x < 0 ? -x : x)                                           \
  __HEDDLE_PARTS_1(__vabsss##N, S, __heddle_clamped<S>(x < 0 ? -x : x))                    \
  __HEDDLE_PARTS_1(__vneg##N, S, -x)                                                       \
  __HEDDLE_PARTS_1(__vnegss##N, S, __heddle_clamped<S>(-x))                                \
  __HEDDLE_PARTS_2(__vabsdiffs##N, S, x > y ? x - y : y - x)                               \
  __HEDDLE_PARTS_2(__vabsdiffu##N, U, x > y ? x - y : y - x)                               \
  __HEDDLE_PARTS_2(__vadd##N, U, x + y)                                                    \
  __HEDDLE_PARTS_2(__vaddss##N, S, __heddle_clamped<S>(x + y))                             \
  __HEDDLE_PARTS_2(__vaddus##N, U, __heddle_clamped<U>(x + y))                             \
  __HEDDLE_PARTS_2(__vsub##N, U, x - y)                                                    \
  __HEDDLE_PARTS_2(__vsubss##N, S, __heddle_clamped<S>(x - y))                             \
  __HEDDLE_PARTS_2(__vsubus##N, U, __heddle_clamped<U>(x - y))                             \
  __HEDDLE_PARTS_2(__vavgs##N, S, (x + y + (x + y >= 0 ? 1 : 0)) >> 1)                     \
  __HEDDLE_PARTS_2(__vavgu##N, U, (x + y + 1) >> 1)                                        \
  __HEDDLE_PARTS_2(__vhaddu##N, U, (x + y) >> 1)                                           \
  __HEDDLE_PARTS_2(__vmaxs##N, S, x > y ? x : y)                                           \
  __HEDDLE_PARTS_2(__vmaxu##N, U, x > y ? x : y)                                           \
  __HEDDLE_PARTS_2(__vmins##N, S, x < y ? x : y)                                           \
  __HEDDLE_PARTS_2(__vminu##N, U, x < y ? x : y)                                           \
  __HEDDLE_SUM(__vsads##N, S)                                                              \
  __HEDDLE_SUM(__vsadu##N, U)                                                              \
  __HEDDLE_PARTS_2(__vcmpeq##N, U, x == y ? -1 : 0)                                        \
  __HEDDLE_PARTS_2(__vcmpne##N, U, x != y ? -1 : 0)                                        \
  __HEDDLE_PARTS_2(__vseteq##N, U, x == y ? 1 : 0)                                         \
  __HEDDLE_PARTS_2(__vsetne##N, U, x != y ? 1 : 0)                                         \
  __HEDDLE_COMPARE(N, S, U, ge, >=)                                                        \
  __HEDDLE_COMPARE(N, S, U, gt, >)                                                         \
  __HEDDLE_COMPARE(N, S, U, le, <=)                                                        \
  __HEDDLE_COMPARE(N, S, U, lt, <)
__HEDDLE_SIMD(2, short, unsigned short)
__HEDDLE_SIMD(4, signed char, unsigned char)
#undef __HEDDLE_SIMD
#undef __HEDDLE_COMPARE
#undef __HEDDLE_SUM
#undef __HEDDLE_PARTS_1
#undef __HEDDLE_PARTS_2

// Three-way minimum and maximum, and with a sum or with 0 (relu).
#define __HEDDLE_THREE(S, T)                                                                                           \
  __HEDDLE_DEVICE__ T __vimax3_##S(T a, T b, T c) { return max(max(a, b), c); }                                        \
  __HEDDLE_DEVICE__ T __vimin3_##S(T a, T b, T c) { return min(min(a, b), c); }                                        \
  __HEDDLE_DEVICE__ T __viaddmax_##S(T a, T b, T c) { return max(static_cast<T>(static_cast<unsigned>(a) + b), c); }   \
  __HEDDLE_DEVICE__ T __viaddmin_##S(T a, T b, T c) { return min(static_cast<T>(static_cast<unsigned>(a) + b), c); }
__HEDDLE_THREE(s32, int)
__HEDDLE_THREE(u32, unsigned int)
#undef __HEDDLE_THREE
__HEDDLE_DEVICE__ int __vimax_s32_relu(int a, int b) { return max(max(a, b), 0); }
__HEDDLE_DEVICE__ int __vimin_s32_relu(int a, int b) { return max(min(a, b), 0); }
__HEDDLE_DEVICE__ int __vimax3_s32_relu(int a, int b, int c) { return max(__vimax3_s32(a, b, c), 0); }
__HEDDLE_DEVICE__ int __vimin3_s32_relu(int a, int b, int c) { return max(__vimin3_s32(a, b, c), 0); }
__HEDDLE_DEVICE__ int __viaddmax_s32_relu(int a, int b, int c) { return max(__viaddmax_s32(a, b, c), 0); }
__HEDDLE_DEVICE__ int __viaddmin_s32_relu(int a, int b, int c) { return max(__viaddmin_s32(a, b, c), 0); }
__HEDDLE_DEVICE__ int __vibmax_s32(int a, int b, bool* first) {
  *first = a >= b;
  return *first ? a : b;
}
__HEDDLE_DEVICE__ int __vibmin_s32(int a, int b, bool* first) {
  *first = a <= b;
  return *first ? a : b;
}
