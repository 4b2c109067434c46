// What clang with Heddle's headers has without an #include, and NVRTC has not or not for these types: so that the tests'
// sources compile with both. Included before the sources.
#pragma once
#define HEDDLE_MISSING 1

#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)

__device__ inline bool isnormal(float x) { return fabsf(x) >= 1.17549435e-38f && fabsf(x) < INFINITY; }
__device__ inline bool isnormal(double x) { return fabs(x) >= 2.2250738585072014e-308 && fabs(x) < INFINITY; }

__device__ inline unsigned long long __globaltimer() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

#define HEDDLE_LANE_REGISTER(name, special)                 \
  __device__ inline unsigned name() {                       \
    unsigned value;                                         \
    asm volatile("mov.u32 %0, %%" special ";" : "=r"(value)); \
    return value;                                           \
  }
HEDDLE_LANE_REGISTER(__lane_id, "laneid")
HEDDLE_LANE_REGISTER(__lanemask_eq, "lanemask_eq")
HEDDLE_LANE_REGISTER(__lanemask_lt, "lanemask_lt")
HEDDLE_LANE_REGISTER(__lanemask_le, "lanemask_le")
HEDDLE_LANE_REGISTER(__lanemask_gt, "lanemask_gt")
HEDDLE_LANE_REGISTER(__lanemask_ge, "lanemask_ge")
#undef HEDDLE_LANE_REGISTER

// The old ones, of the whole warp.
template <class T>
__device__ inline T __shfl(T value, int lane, int width = 32) { return __shfl_sync(0xffffffffu, value, lane, width); }
template <class T>
__device__ inline T __shfl_up(T value, unsigned lanes, int width = 32) { return __shfl_up_sync(0xffffffffu, value, lanes, width); }
template <class T>
__device__ inline T __shfl_down(T value, unsigned lanes, int width = 32) { return __shfl_down_sync(0xffffffffu, value, lanes, width); }
template <class T>
__device__ inline T __shfl_xor(T value, int mask, int width = 32) { return __shfl_xor_sync(0xffffffffu, value, mask, width); }
__device__ inline int __any(int predicate) { return __any_sync(0xffffffffu, predicate); }
__device__ inline int __all(int predicate) { return __all_sync(0xffffffffu, predicate); }
__device__ inline unsigned __ballot(int predicate) { return __ballot_sync(0xffffffffu, predicate); }

__device__ inline unsigned short atomicCAS_block(unsigned short* p, unsigned short a, unsigned short b) { return atomicCAS(p, a, b); }
__device__ inline unsigned short atomicCAS_system(unsigned short* p, unsigned short a, unsigned short b) { return atomicCAS(p, a, b); }
#define HEDDLE_ADD_VECTORS(name)                                                                    \
  __device__ inline float2 name(float2* p, float2 v) { return {name(&p->x, v.x), name(&p->y, v.y)}; } \
  __device__ inline float4 name(float4* p, float4 v) {                                              \
    return {name(&p->x, v.x), name(&p->y, v.y), name(&p->z, v.z), name(&p->w, v.w)};                \
  }
HEDDLE_ADD_VECTORS(atomicAdd)
HEDDLE_ADD_VECTORS(atomicAdd_block)
HEDDLE_ADD_VECTORS(atomicAdd_system)
#undef HEDDLE_ADD_VECTORS

__device__ inline void* memmove(void* to, const void* from, size_t count) {
  char* target = static_cast<char*>(to);
  const char* source = static_cast<const char*>(from);
  if (target < source) {
    for (size_t i = 0; i < count; ++i) target[i] = source[i];
  } else {
    for (size_t i = count; i-- > 0;) target[i] = source[i];
  }
  return to;
}
__device__ inline int memcmp(const void* a, const void* b, size_t count) {
  const unsigned char *x = static_cast<const unsigned char*>(a), *y = static_cast<const unsigned char*>(b);
  for (size_t i = 0; i < count; ++i) {
    if (x[i] != y[i]) return x[i] - y[i];
  }
  return 0;
}
__device__ inline size_t strlen(const char* text) {
  size_t length = 0;
  while (text[length] != '\0') ++length;
  return length;
}
__device__ inline int strncmp(const char* a, const char* b, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const unsigned char x = a[i], y = b[i];
    if (x != y) return x - y;
    if (x == '\0') break;
  }
  return 0;
}
__device__ inline int strcmp(const char* a, const char* b) { return strncmp(a, b, ~size_t(0)); }
