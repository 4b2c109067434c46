// Loads and stores with cache hints, address spaces, prefetches, and the C library's memory functions.
#pragma once
#pragma clang system_header

// A hinted access as one instruction for each vector type. Loads of constant data are not volatile: equal ones may be merged.
#define __HEDDLE_LOAD_1(NAME, OP, T, PTX, C, VOLATILE, CLOBBER)                             \
  __HEDDLE_DEVICE__ T NAME(const T* p) {                                                    \
    T v;                                                                                    \
    __asm__ VOLATILE(OP "." PTX " %0, [%1];" : "=" C(v) : "l"(p)CLOBBER);                   \
    return v;                                                                               \
  }
#define __HEDDLE_LOAD_BYTE(NAME, OP, T, PTX, VOLATILE, CLOBBER)                             \
  __HEDDLE_DEVICE__ T NAME(const T* p) {                                                    \
    unsigned int v;                                                                         \
    __asm__ VOLATILE(OP "." PTX " %0, [%1];" : "=r"(v) : "l"(p)CLOBBER);                    \
    return static_cast<T>(v);                                                               \
  }
#define __HEDDLE_LOAD_2(NAME, OP, T, E, PTX, C, VOLATILE, CLOBBER)                                           \
  __HEDDLE_DEVICE__ T NAME(const T* p) {                                                                     \
    E x, y;                                                                                                  \
    __asm__ VOLATILE(OP ".v2." PTX " {%0, %1}, [%2];" : "=" C(x), "=" C(y) : "l"(p)CLOBBER);                 \
    T v;                                                                                                     \
    v.x = x; v.y = y;                                                                                        \
    return v;                                                                                                \
  }
#define __HEDDLE_LOAD_4(NAME, OP, T, E, PTX, C, VOLATILE, CLOBBER)                                           \
  __HEDDLE_DEVICE__ T NAME(const T* p) {                                                                     \
    E x, y, z, w;                                                                                            \
    __asm__ VOLATILE(OP ".v4." PTX " {%0, %1, %2, %3}, [%4];"                                                \
                     : "=" C(x), "=" C(y), "=" C(z), "=" C(w) : "l"(p)CLOBBER);                              \
    T v;                                                                                                     \
    v.x = x; v.y = y; v.z = z; v.w = w;                                                                      \
    return v;                                                                                                \
  }
#define __HEDDLE_LOADS(NAME, OP, VOLATILE, CLOBBER)                                                          \
  __HEDDLE_LOAD_BYTE(NAME, OP, char, "s8", VOLATILE, CLOBBER)                                                \
  __HEDDLE_LOAD_BYTE(NAME, OP, signed char, "s8", VOLATILE, CLOBBER)                                         \
  __HEDDLE_LOAD_BYTE(NAME, OP, unsigned char, "u8", VOLATILE, CLOBBER)                                       \
  __HEDDLE_LOAD_1(NAME, OP, short, "s16", "h", VOLATILE, CLOBBER)                                            \
  __HEDDLE_LOAD_1(NAME, OP, unsigned short, "u16", "h", VOLATILE, CLOBBER)                                   \
  __HEDDLE_LOAD_1(NAME, OP, int, "s32", "r", VOLATILE, CLOBBER)                                              \
  __HEDDLE_LOAD_1(NAME, OP, unsigned int, "u32", "r", VOLATILE, CLOBBER)                                     \
  __HEDDLE_LOAD_1(NAME, OP, long, "s64", "l", VOLATILE, CLOBBER)                                             \
  __HEDDLE_LOAD_1(NAME, OP, unsigned long, "u64", "l", VOLATILE, CLOBBER)                                    \
  __HEDDLE_LOAD_1(NAME, OP, long long, "s64", "l", VOLATILE, CLOBBER)                                        \
  __HEDDLE_LOAD_1(NAME, OP, unsigned long long, "u64", "l", VOLATILE, CLOBBER)                               \
  __HEDDLE_LOAD_1(NAME, OP, float, "f32", "f", VOLATILE, CLOBBER)                                            \
  __HEDDLE_LOAD_1(NAME, OP, double, "f64", "d", VOLATILE, CLOBBER)                                           \
  __HEDDLE_LOAD_2(NAME, OP, char2, unsigned int, "s8", "r", VOLATILE, CLOBBER)                               \
  __HEDDLE_LOAD_4(NAME, OP, char4, unsigned int, "s8", "r", VOLATILE, CLOBBER)                               \
  __HEDDLE_LOAD_2(NAME, OP, uchar2, unsigned int, "u8", "r", VOLATILE, CLOBBER)                              \
  __HEDDLE_LOAD_4(NAME, OP, uchar4, unsigned int, "u8", "r", VOLATILE, CLOBBER)                              \
  __HEDDLE_LOAD_2(NAME, OP, short2, short, "s16", "h", VOLATILE, CLOBBER)                                    \
  __HEDDLE_LOAD_4(NAME, OP, short4, short, "s16", "h", VOLATILE, CLOBBER)                                    \
  __HEDDLE_LOAD_2(NAME, OP, ushort2, unsigned short, "u16", "h", VOLATILE, CLOBBER)                          \
  __HEDDLE_LOAD_4(NAME, OP, ushort4, unsigned short, "u16", "h", VOLATILE, CLOBBER)                          \
  __HEDDLE_LOAD_2(NAME, OP, int2, int, "s32", "r", VOLATILE, CLOBBER)                                        \
  __HEDDLE_LOAD_4(NAME, OP, int4, int, "s32", "r", VOLATILE, CLOBBER)                                        \
  __HEDDLE_LOAD_2(NAME, OP, uint2, unsigned int, "u32", "r", VOLATILE, CLOBBER)                              \
  __HEDDLE_LOAD_4(NAME, OP, uint4, unsigned int, "u32", "r", VOLATILE, CLOBBER)                              \
  __HEDDLE_LOAD_2(NAME, OP, long2, long, "s64", "l", VOLATILE, CLOBBER)                                      \
  __HEDDLE_LOAD_2(NAME, OP, ulong2, unsigned long, "u64", "l", VOLATILE, CLOBBER)                            \
  __HEDDLE_LOAD_2(NAME, OP, longlong2, long long, "s64", "l", VOLATILE, CLOBBER)                             \
  __HEDDLE_LOAD_2(NAME, OP, ulonglong2, unsigned long long, "u64", "l", VOLATILE, CLOBBER)                   \
  __HEDDLE_LOAD_2(NAME, OP, float2, float, "f32", "f", VOLATILE, CLOBBER)                                    \
  __HEDDLE_LOAD_4(NAME, OP, float4, float, "f32", "f", VOLATILE, CLOBBER)                                    \
  __HEDDLE_LOAD_2(NAME, OP, double2, double, "f64", "d", VOLATILE, CLOBBER)
#define __HEDDLE_NOTHING
#define __HEDDLE_MEMORY : "memory"
__HEDDLE_LOADS(__ldg, "ld.global.nc", __HEDDLE_NOTHING, __HEDDLE_NOTHING)
__HEDDLE_LOADS(__ldca, "ld.global.ca", volatile, __HEDDLE_MEMORY)
__HEDDLE_LOADS(__ldcg, "ld.global.cg", volatile, __HEDDLE_MEMORY)
__HEDDLE_LOADS(__ldcs, "ld.global.cs", volatile, __HEDDLE_MEMORY)
__HEDDLE_LOADS(__ldlu, "ld.global.lu", volatile, __HEDDLE_MEMORY)
__HEDDLE_LOADS(__ldcv, "ld.global.cv", volatile, __HEDDLE_MEMORY)
#undef __HEDDLE_LOADS
#undef __HEDDLE_LOAD_1
#undef __HEDDLE_LOAD_BYTE
#undef __HEDDLE_LOAD_2
#undef __HEDDLE_LOAD_4
#undef __HEDDLE_NOTHING
#undef __HEDDLE_MEMORY

#define __HEDDLE_STORE_1(NAME, OP, T, E, PTX, C)                                                             \
  __HEDDLE_DEVICE__ void NAME(T* p, T v) {                                                                   \
    __asm__ volatile(OP "." PTX " [%0], %1;" ::"l"(p), C(static_cast<E>(v)) : "memory");                     \
  }
#define __HEDDLE_STORE_2(NAME, OP, T, E, PTX, C)                                                             \
  __HEDDLE_DEVICE__ void NAME(T* p, T v) {                                                                   \
    __asm__ volatile(OP ".v2." PTX " [%0], {%1, %2};" ::"l"(p), C(static_cast<E>(v.x)), C(static_cast<E>(v.y)) : "memory"); \
  }
#define __HEDDLE_STORE_4(NAME, OP, T, E, PTX, C)                                                             \
  __HEDDLE_DEVICE__ void NAME(T* p, T v) {                                                                   \
    __asm__ volatile(OP ".v4." PTX " [%0], {%1, %2, %3, %4};" ::"l"(p), C(static_cast<E>(v.x)),              \
                     C(static_cast<E>(v.y)), C(static_cast<E>(v.z)), C(static_cast<E>(v.w)) : "memory");     \
  }
#define __HEDDLE_STORES(NAME, OP)                                              \
  __HEDDLE_STORE_1(NAME, OP, char, int, "s8", "r")                             \
  __HEDDLE_STORE_1(NAME, OP, signed char, int, "s8", "r")                      \
  __HEDDLE_STORE_1(NAME, OP, unsigned char, unsigned int, "u8", "r")           \
  __HEDDLE_STORE_1(NAME, OP, short, short, "s16", "h")                         \
  __HEDDLE_STORE_1(NAME, OP, unsigned short, unsigned short, "u16", "h")       \
  __HEDDLE_STORE_1(NAME, OP, int, int, "s32", "r")                             \
  __HEDDLE_STORE_1(NAME, OP, unsigned int, unsigned int, "u32", "r")           \
  __HEDDLE_STORE_1(NAME, OP, long, long, "s64", "l")                           \
  __HEDDLE_STORE_1(NAME, OP, unsigned long, unsigned long, "u64", "l")         \
  __HEDDLE_STORE_1(NAME, OP, long long, long long, "s64", "l")                 \
  __HEDDLE_STORE_1(NAME, OP, unsigned long long, unsigned long long, "u64", "l") \
  __HEDDLE_STORE_1(NAME, OP, float, float, "f32", "f")                         \
  __HEDDLE_STORE_1(NAME, OP, double, double, "f64", "d")                       \
  __HEDDLE_STORE_2(NAME, OP, char2, int, "s8", "r")                            \
  __HEDDLE_STORE_4(NAME, OP, char4, int, "s8", "r")                            \
  __HEDDLE_STORE_2(NAME, OP, uchar2, unsigned int, "u8", "r")                  \
  __HEDDLE_STORE_4(NAME, OP, uchar4, unsigned int, "u8", "r")                  \
  __HEDDLE_STORE_2(NAME, OP, short2, short, "s16", "h")                        \
  __HEDDLE_STORE_4(NAME, OP, short4, short, "s16", "h")                        \
  __HEDDLE_STORE_2(NAME, OP, ushort2, unsigned short, "u16", "h")              \
  __HEDDLE_STORE_4(NAME, OP, ushort4, unsigned short, "u16", "h")              \
  __HEDDLE_STORE_2(NAME, OP, int2, int, "s32", "r")                            \
  __HEDDLE_STORE_4(NAME, OP, int4, int, "s32", "r")                            \
  __HEDDLE_STORE_2(NAME, OP, uint2, unsigned int, "u32", "r")                  \
  __HEDDLE_STORE_4(NAME, OP, uint4, unsigned int, "u32", "r")                  \
  __HEDDLE_STORE_2(NAME, OP, longlong2, long long, "s64", "l")                 \
  __HEDDLE_STORE_2(NAME, OP, ulonglong2, unsigned long long, "u64", "l")       \
  __HEDDLE_STORE_2(NAME, OP, float2, float, "f32", "f")                        \
  __HEDDLE_STORE_4(NAME, OP, float4, float, "f32", "f")                        \
  __HEDDLE_STORE_2(NAME, OP, double2, double, "f64", "d")
__HEDDLE_STORES(__stwb, "st.global.wb")
__HEDDLE_STORES(__stcg, "st.global.cg")
__HEDDLE_STORES(__stcs, "st.global.cs")
__HEDDLE_STORES(__stwt, "st.global.wt")
#undef __HEDDLE_STORES
#undef __HEDDLE_STORE_1
#undef __HEDDLE_STORE_2
#undef __HEDDLE_STORE_4

__HEDDLE_DEVICE__ unsigned int __isGlobal(const void* p) { return __nvvm_isspacep_global(p); }
__HEDDLE_DEVICE__ unsigned int __isShared(const void* p) { return __nvvm_isspacep_shared(p); }
__HEDDLE_DEVICE__ unsigned int __isConstant(const void* p) { return __nvvm_isspacep_const(p); }
__HEDDLE_DEVICE__ unsigned int __isLocal(const void* p) { return __nvvm_isspacep_local(p); }

#define __HEDDLE_CONVERT_ADDRESS(SPACE)                                                  \
  __HEDDLE_DEVICE__ __SIZE_TYPE__ __cvta_generic_to_##SPACE(const void* p) {             \
    __SIZE_TYPE__ a;                                                                     \
    __asm__("cvta.to." #SPACE ".u64 %0, %1;" : "=l"(a) : "l"(p));                        \
    return a;                                                                            \
  }                                                                                      \
  __HEDDLE_DEVICE__ void* __cvta_##SPACE##_to_generic(__SIZE_TYPE__ a) {                 \
    void* p;                                                                             \
    __asm__("cvta." #SPACE ".u64 %0, %1;" : "=l"(p) : "l"(a));                           \
    return p;                                                                            \
  }
__HEDDLE_CONVERT_ADDRESS(global)
__HEDDLE_CONVERT_ADDRESS(shared)
__HEDDLE_CONVERT_ADDRESS(local)
__HEDDLE_DEVICE__ __SIZE_TYPE__ __cvta_generic_to_constant(const void* p) {
  __SIZE_TYPE__ a;
  __asm__("cvta.to.const.u64 %0, %1;" : "=l"(a) : "l"(p));
  return a;
}
__HEDDLE_DEVICE__ void* __cvta_constant_to_generic(__SIZE_TYPE__ a) {
  void* p;
  __asm__("cvta.const.u64 %0, %1;" : "=l"(p) : "l"(a));
  return p;
}
#undef __HEDDLE_CONVERT_ADDRESS

__HEDDLE_DEVICE__ void __prefetch_global_l1(const void* p) {
  __asm__ volatile("prefetch.global.L1 [%0];" ::"l"(p));
}
__HEDDLE_DEVICE__ void __prefetch_global_l2(const void* p) {
  __asm__ volatile("prefetch.global.L2 [%0];" ::"l"(p));
}

// 32 bits of shared memory addresses, as inline assembly of programs uses them.
__HEDDLE_DEVICE__ unsigned int __nvvm_get_smem_pointer(void* p) {
  return static_cast<unsigned int>(__cvta_generic_to_shared(p));
}

// The compiler makes loops of these.
__HEDDLE_DEVICE__ void* memcpy(void* to, const void* from, __SIZE_TYPE__ n) { return __builtin_memcpy(to, from, n); }
__HEDDLE_DEVICE__ void* memmove(void* to, const void* from, __SIZE_TYPE__ n) { return __builtin_memmove(to, from, n); }
__HEDDLE_DEVICE__ void* memset(void* to, int value, __SIZE_TYPE__ n) { return __builtin_memset(to, value, n); }
static __inline__ __device__ void* memchr(const void* p, int c, __SIZE_TYPE__ n) {
  const unsigned char* a = static_cast<const unsigned char*>(p);
  for (__SIZE_TYPE__ i = 0; i < n; ++i)
    if (a[i] == static_cast<unsigned char>(c)) return const_cast<unsigned char*>(a + i);
  return nullptr;
}
static __inline__ __device__ int memcmp(const void* p, const void* q, __SIZE_TYPE__ n) {
  const unsigned char *a = static_cast<const unsigned char*>(p), *b = static_cast<const unsigned char*>(q);
  for (__SIZE_TYPE__ i = 0; i < n; ++i)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}
static __inline__ __device__ __SIZE_TYPE__ strlen(const char* s) {
  __SIZE_TYPE__ n = 0;
  while (s[n]) ++n;
  return n;
}
static __inline__ __device__ int strcmp(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return static_cast<unsigned char>(*a) - static_cast<unsigned char>(*b);
}
static __inline__ __device__ int strncmp(const char* a, const char* b, __SIZE_TYPE__ n) {
  for (; n > 0 && *a && *a == *b; --n) ++a, ++b;
  return n == 0 ? 0 : static_cast<unsigned char>(*a) - static_cast<unsigned char>(*b);
}
static __inline__ __device__ char* strcpy(char* to, const char* from) {
  char* p = to;
  while ((*p++ = *from++)) {
  }
  return to;
}

namespace std {
using ::memchr;
using ::memcmp;
using ::memcpy;
using ::memmove;
using ::memset;
using ::strcmp;
using ::strcpy;
using ::strlen;
using ::strncmp;
}  // namespace std
