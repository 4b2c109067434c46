// nvcuda::wmma: products of matrices that the 32 threads of a warp compute together, on tensor cores where there are
// some (CUDA C++ Programming Guide, "Warp Matrix Functions"). All threads of the warp call each function, with the same
// arguments but for the fragments.
#pragma once
#pragma GCC system_header
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "heddle/prelude.h"
#include "heddle/hide_macros.h"

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental

// What a thread holds of a matrix. Which elements these are is left open: only what is done to all of them alike has a
// meaning.
template <class T, int Elements, int Storage = Elements>
struct __align__(8) __heddle_fragment {
  enum { num_elements = Elements, num_storage_elements = Storage };
  using element_type = T;
  using storage_element_type = T;
  T x[Storage];
};
template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment;

#define __HEDDLE_FRAGMENT_AB(USE, M, N, K, T, STORED, ELEMENTS, STORAGE)                                          \
  template <class Layout>                                                                                         \
  class fragment<USE, M, N, K, T, Layout> : public __heddle_fragment<STORED, ELEMENTS, STORAGE> {};
#define __HEDDLE_FRAGMENT_C(M, N, K, T)                                                                           \
  template <>                                                                                                     \
  class fragment<accumulator, M, N, K, T> : public __heddle_fragment<T, M * N / 32> {};

// C: the type of the words that the compiler's functions take.
#define __HEDDLE_LOAD(USE, M, N, K, T, LAYOUT, STORED, C, FUNCTION, ORDER)                                        \
  __HEDDLE_DEVICE__ void load_matrix_sync(fragment<USE, M, N, K, T, LAYOUT>& f, const STORED* p, unsigned ldm) {  \
    FUNCTION(reinterpret_cast<C*>(f.x), reinterpret_cast<const C*>(p), ldm, ORDER);                               \
  }
#define __HEDDLE_LOAD_A(M, N, K, T, STORED, ELEMENTS, STORAGE, C, FUNCTION)                                       \
  __HEDDLE_FRAGMENT_AB(matrix_a, M, N, K, T, STORED, ELEMENTS, STORAGE)                                           \
  __HEDDLE_LOAD(matrix_a, M, N, K, T, row_major, STORED, C, FUNCTION, 0)
#define __HEDDLE_LOAD_B(M, N, K, T, STORED, ELEMENTS, STORAGE, C, FUNCTION)                                       \
  __HEDDLE_FRAGMENT_AB(matrix_b, M, N, K, T, STORED, ELEMENTS, STORAGE)                                           \
  __HEDDLE_LOAD(matrix_b, M, N, K, T, col_major, STORED, C, FUNCTION, 1)
#define __HEDDLE_LOADS(M, N, K, T, STORED, OF_A, OF_B, C, PREFIX, SUFFIX)                                         \
  __HEDDLE_LOAD_A(M, N, K, T, STORED, OF_A, OF_A, C, PREFIX##_ld_a##SUFFIX)                                       \
  __HEDDLE_LOAD(matrix_a, M, N, K, T, col_major, STORED, C, PREFIX##_ld_a##SUFFIX, 1)                             \
  __HEDDLE_LOAD_B(M, N, K, T, STORED, OF_B, OF_B, C, PREFIX##_ld_b##SUFFIX)                                       \
  __HEDDLE_LOAD(matrix_b, M, N, K, T, row_major, STORED, C, PREFIX##_ld_b##SUFFIX, 0)
#define __HEDDLE_ACCUMULATOR(M, N, K, T, C, LOAD, STORE)                                                          \
  __HEDDLE_FRAGMENT_C(M, N, K, T)                                                                                 \
  __HEDDLE_ACCUMULATOR_MOVES(M, N, K, T, C, LOAD, STORE)
#define __HEDDLE_ACCUMULATOR_MOVES(M, N, K, T, C, LOAD, STORE)                                                    \
  __HEDDLE_DEVICE__ void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const T* p, unsigned ldm,         \
                                          layout_t layout) {                                                      \
    C* to = reinterpret_cast<C*>(f.x);                                                                            \
    if (layout == mem_row_major)                                                                                  \
      LOAD(to, reinterpret_cast<const C*>(p), ldm, 0);                                                            \
    else                                                                                                          \
      LOAD(to, reinterpret_cast<const C*>(p), ldm, 1);                                                            \
  }                                                                                                               \
  __HEDDLE_DEVICE__ void store_matrix_sync(T* p, const fragment<accumulator, M, N, K, T>& f, unsigned ldm,        \
                                           layout_t layout) {                                                     \
    C* from = const_cast<C*>(reinterpret_cast<const C*>(f.x));                                                    \
    if (layout == mem_row_major)                                                                                  \
      STORE(reinterpret_cast<C*>(p), from, ldm, 0);                                                               \
    else                                                                                                          \
      STORE(reinterpret_cast<C*>(p), from, ldm, 1);                                                               \
  }

// LAYOUTS: 0 row row, 1 row col, 2 col row, 3 col col
#define __HEDDLE_MMA(M, N, K, T, LAYOUT_A, LAYOUT_B, LAYOUTS, TD, CD, TC, CC, CAB, FUNCTION, SATURATES)           \
  __HEDDLE_DEVICE__ void mma_sync(fragment<accumulator, M, N, K, TD>& d,                                          \
                                  const fragment<matrix_a, M, N, K, T, LAYOUT_A>& a,                              \
                                  const fragment<matrix_b, M, N, K, T, LAYOUT_B>& b,                              \
                                  const fragment<accumulator, M, N, K, TC>& c, bool satf = false) {               \
    CD* to = reinterpret_cast<CD*>(d.x);                                                                          \
    const CAB* left = reinterpret_cast<const CAB*>(a.x);                                                          \
    const CAB* right = reinterpret_cast<const CAB*>(b.x);                                                         \
    const CC* sum = reinterpret_cast<const CC*>(c.x);                                                             \
    if (SATURATES && satf)                                                                                        \
      FUNCTION(to, left, right, sum, LAYOUTS, SATURATES);                                                         \
    else                                                                                                          \
      FUNCTION(to, left, right, sum, LAYOUTS, 0);                                                                 \
  }
#define __HEDDLE_MMAS(M, N, K, T, TD, CD, TC, CC, CAB, FUNCTION, SATURATES)                                       \
  __HEDDLE_MMA(M, N, K, T, row_major, row_major, 0, TD, CD, TC, CC, CAB, FUNCTION, SATURATES)                     \
  __HEDDLE_MMA(M, N, K, T, row_major, col_major, 1, TD, CD, TC, CC, CAB, FUNCTION, SATURATES)                     \
  __HEDDLE_MMA(M, N, K, T, col_major, row_major, 2, TD, CD, TC, CC, CAB, FUNCTION, SATURATES)                     \
  __HEDDLE_MMA(M, N, K, T, col_major, col_major, 3, TD, CD, TC, CC, CAB, FUNCTION, SATURATES)

// Halves. Each element of a and b is held by two threads.
#define __HEDDLE_HALVES(M, N, K, NAME)                                                                            \
  __HEDDLE_LOADS(M, N, K, __half, __half, 16, 16, int, NAME, )                                                    \
  __HEDDLE_ACCUMULATOR(M, N, K, __half, int, NAME##_ld_c_f16, NAME##_st_c_f16)                                    \
  __HEDDLE_ACCUMULATOR(M, N, K, float, float, NAME##_ld_c_f32, NAME##_st_c_f32)                                   \
  __HEDDLE_MMAS(M, N, K, __half, __half, int, __half, int, int, NAME##_mma_f16f16, 1)                             \
  __HEDDLE_MMAS(M, N, K, __half, float, float, __half, int, int, NAME##_mma_f32f16, 1)                            \
  __HEDDLE_MMAS(M, N, K, __half, __half, int, float, float, int, NAME##_mma_f16f32, 1)                            \
  __HEDDLE_MMAS(M, N, K, __half, float, float, float, float, int, NAME##_mma_f32f32, 1)
__HEDDLE_HALVES(16, 16, 16, __hmma_m16n16k16)
__HEDDLE_HALVES(32, 8, 16, __hmma_m32n8k16)
__HEDDLE_HALVES(8, 32, 16, __hmma_m8n32k16)

// Bytes
#define __HEDDLE_BYTES(M, N, K, T, NAME, SUFFIX)                                                                  \
  __HEDDLE_LOADS(M, N, K, T, T, M * K / 32, N * K / 32, int, NAME, SUFFIX)                                        \
  __HEDDLE_MMAS(M, N, K, T, int, int, int, int, int, NAME##_mma##SUFFIX, 1)
#define __HEDDLE_INTEGERS(M, N, K, NAME)                                                                          \
  __HEDDLE_ACCUMULATOR(M, N, K, int, int, NAME##_ld_c, NAME##_st_c_i32)                                           \
  __HEDDLE_BYTES(M, N, K, signed char, NAME, _s8)                                                                 \
  __HEDDLE_BYTES(M, N, K, unsigned char, NAME, _u8)
__HEDDLE_INTEGERS(16, 16, 16, __imma_m16n16k16)
__HEDDLE_INTEGERS(32, 8, 16, __imma_m32n8k16)
__HEDDLE_INTEGERS(8, 32, 16, __imma_m8n32k16)

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define __HEDDLE_BFLOATS(M, N, K, NAME)                                                                           \
  __HEDDLE_LOADS(M, N, K, __nv_bfloat16, __nv_bfloat16, M * K / 32, N * K / 32, int, NAME, )                      \
  __HEDDLE_MMAS(M, N, K, __nv_bfloat16, float, float, float, float, int, NAME##_mma_f32, 0)
__HEDDLE_BFLOATS(16, 16, 16, __mma_bf16_m16n16k16)
__HEDDLE_BFLOATS(32, 8, 16, __mma_bf16_m32n8k16)
__HEDDLE_BFLOATS(8, 32, 16, __mma_bf16_m8n32k16)

// The caller rounds to this format by __float_to_tf32().
__HEDDLE_LOADS(16, 16, 8, precision::tf32, float, 4, 4, int, __mma_tf32_m16n16k8, )
__HEDDLE_ACCUMULATOR(16, 16, 8, float, float, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32)
__HEDDLE_MMAS(16, 16, 8, precision::tf32, float, float, float, float, int, __mma_tf32_m16n16k8_mma_f32, 0)

__HEDDLE_LOADS(8, 8, 4, double, double, 1, 1, double, __dmma_m8n8k4, )
__HEDDLE_ACCUMULATOR(8, 8, 4, double, double, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64)
__HEDDLE_MMAS(8, 8, 4, double, double, double, double, double, double, __dmma_m8n8k4_mma_f64, 0)
#endif

// Four bits, and one: packed along k, a by rows and b by columns.
#define __HEDDLE_SUB_BYTES(T, SUFFIX)                                                                             \
  __HEDDLE_LOAD_A(8, 8, 32, experimental::precision::T, int, 8, 1, int, __imma_m8n8k32_ld_a##SUFFIX)              \
  __HEDDLE_LOAD_B(8, 8, 32, experimental::precision::T, int, 8, 1, int, __imma_m8n8k32_ld_b##SUFFIX)              \
  __HEDDLE_MMA(8, 8, 32, experimental::precision::T, row_major, col_major, 1, int, int, int, int, int,            \
               __imma_m8n8k32_mma##SUFFIX, 1)
__HEDDLE_ACCUMULATOR(8, 8, 32, int, int, __imma_m8n8k32_ld_c, __imma_m8n8k32_st_c_i32)
__HEDDLE_SUB_BYTES(s4, _s4)
__HEDDLE_SUB_BYTES(u4, _u4)

__HEDDLE_LOAD_A(8, 8, 128, experimental::precision::b1, unsigned, 32, 1, int, __bmma_m8n8k128_ld_a_b1)
__HEDDLE_LOAD_B(8, 8, 128, experimental::precision::b1, unsigned, 32, 1, int, __bmma_m8n8k128_ld_b_b1)
__HEDDLE_ACCUMULATOR(8, 8, 128, int, int, __bmma_m8n8k128_ld_c, __bmma_m8n8k128_st_c_i32)
__HEDDLE_DEVICE__ void bmma_sync(
    fragment<accumulator, 8, 8, 128, int>& d,
    const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major>& a,
    const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major>& b,
    const fragment<accumulator, 8, 8, 128, int>& c, experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
    experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
  const int* left = reinterpret_cast<const int*>(a.x);
  const int* right = reinterpret_cast<const int*>(b.x);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  if (op == experimental::bmmaBitOpAND) return __bmma_m8n8k128_mma_and_popc_b1(d.x, left, right, c.x, 1);
#endif
  if (op != experimental::bmmaBitOpXOR) __trap();
  __bmma_m8n8k128_mma_xor_popc_b1(d.x, left, right, c.x, 1);
}

template <class Use, int m, int n, int k, class T, class Layout, class Value>
__HEDDLE_DEVICE__ void fill_fragment(fragment<Use, m, n, k, T, Layout>& f, const Value& value) {
  for (int i = 0; i < fragment<Use, m, n, k, T, Layout>::num_storage_elements; ++i) f.x[i] = value;
}

// To nearest, ties away from zero.
__HEDDLE_DEVICE__ float __float_to_tf32(float x) {
  float result;
  __asm__("cvt.rna.tf32.f32 %0, %1;" : "=r"(*reinterpret_cast<unsigned*>(&result)) : "f"(x));
  return result;
}

#undef __HEDDLE_FRAGMENT_AB
#undef __HEDDLE_FRAGMENT_C
#undef __HEDDLE_LOAD
#undef __HEDDLE_LOAD_A
#undef __HEDDLE_LOAD_B
#undef __HEDDLE_LOADS
#undef __HEDDLE_ACCUMULATOR
#undef __HEDDLE_ACCUMULATOR_MOVES
#undef __HEDDLE_MMA
#undef __HEDDLE_MMAS
#undef __HEDDLE_HALVES
#undef __HEDDLE_BYTES
#undef __HEDDLE_INTEGERS
#undef __HEDDLE_BFLOATS
#undef __HEDDLE_SUB_BYTES

}  // namespace wmma
}  // namespace nvcuda
#include "heddle/show_macros.h"
