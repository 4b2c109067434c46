// CUDA's vector types with CUDA's alignments, make_ functions, and dim3.
#pragma once
#pragma clang system_header

#define __HEDDLE_VECTOR(NAME, T, A1, A2, A4)                                                          \
  struct __attribute__((aligned(A1))) NAME##1 { T x; };                                               \
  struct __attribute__((aligned(A2))) NAME##2 { T x, y; };                                            \
  struct __attribute__((aligned(A1))) NAME##3 { T x, y, z; };                                         \
  struct __attribute__((aligned(A4))) NAME##4 { T x, y, z, w; };                                      \
  __HEDDLE_BOTH__ constexpr NAME##1 make_##NAME##1(T x) { return {x}; }                               \
  __HEDDLE_BOTH__ constexpr NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }                       \
  __HEDDLE_BOTH__ constexpr NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; }               \
  __HEDDLE_BOTH__ constexpr NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }

__HEDDLE_VECTOR(char, signed char, 1, 2, 4)
__HEDDLE_VECTOR(uchar, unsigned char, 1, 2, 4)
__HEDDLE_VECTOR(short, short, 2, 4, 8)
__HEDDLE_VECTOR(ushort, unsigned short, 2, 4, 8)
__HEDDLE_VECTOR(int, int, 4, 8, 16)
__HEDDLE_VECTOR(uint, unsigned int, 4, 8, 16)
__HEDDLE_VECTOR(long, long int, 8, 16, 16)
__HEDDLE_VECTOR(ulong, unsigned long int, 8, 16, 16)
__HEDDLE_VECTOR(longlong, long long int, 8, 16, 16)
__HEDDLE_VECTOR(ulonglong, unsigned long long int, 8, 16, 16)
__HEDDLE_VECTOR(float, float, 4, 8, 16)
__HEDDLE_VECTOR(double, double, 8, 16, 16)
#undef __HEDDLE_VECTOR

// The four-component 64-bit types of CUDA 13, which name their alignment.
#define __HEDDLE_VECTOR4(NAME, T)                                                                              \
  struct __attribute__((aligned(16))) NAME##4_16a { T x, y, z, w; };                                           \
  struct __attribute__((aligned(32))) NAME##4_32a { T x, y, z, w; };                                           \
  __HEDDLE_BOTH__ constexpr NAME##4_16a make_##NAME##4_16a(T x, T y, T z, T w) { return {x, y, z, w}; }        \
  __HEDDLE_BOTH__ constexpr NAME##4_32a make_##NAME##4_32a(T x, T y, T z, T w) { return {x, y, z, w}; }
__HEDDLE_VECTOR4(long, long int)
__HEDDLE_VECTOR4(ulong, unsigned long int)
__HEDDLE_VECTOR4(longlong, long long int)
__HEDDLE_VECTOR4(ulonglong, unsigned long long int)
__HEDDLE_VECTOR4(double, double)
#undef __HEDDLE_VECTOR4

struct dim3 {
  unsigned int x, y, z;
  __attribute__((host, device)) constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __attribute__((host, device)) constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __attribute__((host, device)) constexpr operator uint3() const { return uint3{x, y, z}; }
};
