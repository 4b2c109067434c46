// CUDA's headers for plain C and C++ files, compiled by any compiler: types, functions and their C++ forms. The keywords of
// device code are there and mean nothing.
#pragma once
#pragma GCC system_header

#include <stddef.h>

#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __device_builtin__
#define __cudart_builtin__
#define __launch_bounds__(...)
#if !defined(__forceinline__)
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define CUDARTAPI
#define CUDAAPI
#define CUDART_CB
#define CUDA_CB

#include "plain_vector_types.h"
#if defined(__cplusplus)
#include "runtime_forms.h"
#else
#include "runtime_functions.h"
static inline struct cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) {
  struct cudaExtent made = {w, h, d};
  return made;
}
static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  struct cudaPos made = {x, y, z};
  return made;
}
static inline struct cudaPitchedPtr make_cudaPitchedPtr(void* p, size_t pitch, size_t x, size_t y) {
  struct cudaPitchedPtr made = {p, pitch, x, y};
  return made;
}
#endif
#include "guards.h"
