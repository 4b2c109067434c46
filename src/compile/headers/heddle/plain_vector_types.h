// CUDA's vector types and dim3 for compilers that know nothing of CUDA; the same layouts as in vector_types.h.
#pragma once
#pragma GCC system_header

#define __HEDDLE_VECTOR(NAME, T, A1, A2, A4)                                                                     \
  struct __attribute__((aligned(A1))) NAME##1 { T x; };                                                          \
  struct __attribute__((aligned(A2))) NAME##2 { T x, y; };                                                       \
  struct __attribute__((aligned(A1))) NAME##3 { T x, y, z; };                                                    \
  struct __attribute__((aligned(A4))) NAME##4 { T x, y, z, w; };                                                 \
  typedef struct NAME##1 NAME##1;                                                                                \
  typedef struct NAME##2 NAME##2;                                                                                \
  typedef struct NAME##3 NAME##3;                                                                                \
  typedef struct NAME##4 NAME##4;                                                                                \
  static __inline__ NAME##1 make_##NAME##1(T x) { NAME##1 v = {x}; return v; }                                   \
  static __inline__ NAME##2 make_##NAME##2(T x, T y) { NAME##2 v = {x, y}; return v; }                           \
  static __inline__ NAME##3 make_##NAME##3(T x, T y, T z) { NAME##3 v = {x, y, z}; return v; }                   \
  static __inline__ NAME##4 make_##NAME##4(T x, T y, T z, T w) { NAME##4 v = {x, y, z, w}; return v; }
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

struct dim3 {
  unsigned int x, y, z;
#if defined(__cplusplus)
  dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  operator uint3() const {
    uint3 v = {x, y, z};
    return v;
  }
#endif
};
typedef struct dim3 dim3;
