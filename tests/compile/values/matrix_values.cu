// Products of matrices: nvcuda::wmma in all its shapes, and mma.sync with ldmatrix, stmatrix and movmatrix.
#include <mma.h>
using namespace nvcuda::wmma;

template <class Layout>
struct Leading {  // of a matrix of so many rows and columns
  static __device__ unsigned of(unsigned, unsigned columns) { return columns; }
};
template <>
struct Leading<col_major> {
  static __device__ unsigned of(unsigned rows, unsigned) { return rows; }
};

template <int M, int N, int K, class T, class LA, class LB, class S, class TC>
__device__ void product(const S* a, const S* b, const TC* c, TC* d, layout_t layout) {
  fragment<matrix_a, M, N, K, T, LA> left;
  fragment<matrix_b, M, N, K, T, LB> right;
  fragment<accumulator, M, N, K, TC> sum;
  const unsigned leading = layout == mem_row_major ? N : M;
  load_matrix_sync(left, a, Leading<LA>::of(M, K));
  load_matrix_sync(right, b, Leading<LB>::of(K, N));
  load_matrix_sync(sum, c, leading, layout);
  mma_sync(sum, left, right, sum);
  store_matrix_sync(d, sum, leading, layout);
}

#define PRODUCT(NAME, M, N, K, T, S, TC, LA, LB, LC)                                                  \
  extern "C" __global__ void NAME(const S* a, const S* b, const TC* c, TC* d) {                       \
    product<M, N, K, T, LA##_major, LB##_major>(a, b, c, d, mem_##LC##_major);                        \
  }
#define PRODUCTS(NAME, M, N, K, T, S, TC)                              \
  PRODUCT(NAME##_row_row_row, M, N, K, T, S, TC, row, row, row)        \
  PRODUCT(NAME##_row_col_col, M, N, K, T, S, TC, row, col, col)        \
  PRODUCT(NAME##_col_row_col, M, N, K, T, S, TC, col, row, col)        \
  PRODUCT(NAME##_col_col_row, M, N, K, T, S, TC, col, col, row)
#define SHAPES(NAME, T, TC)                     \
  PRODUCTS(NAME##_16_16_16, 16, 16, 16, T, T, TC) \
  PRODUCTS(NAME##_32_8_16, 32, 8, 16, T, T, TC)   \
  PRODUCTS(NAME##_8_32_16, 8, 32, 16, T, T, TC)
SHAPES(f16_f32, __half, float)
SHAPES(f16_f16, __half, __half)
SHAPES(bf16_f32, __nv_bfloat16, float)
SHAPES(s8_s32, signed char, int)
SHAPES(u8_s32, unsigned char, int)
PRODUCTS(tf32_f32_16_16_8, 16, 16, 8, precision::tf32, float, float)
PRODUCTS(f64_f64_8_8_4, 8, 8, 4, double, double, double)

extern "C" __global__ void s4_s32_8_8_32(const int* a, const int* b, const int* c, int* d) {
  product<8, 8, 32, experimental::precision::s4, row_major, col_major>(a, b, c, d, mem_row_major);
}
extern "C" __global__ void b1_s32_8_8_128(const unsigned* a, const unsigned* b, const int* c, int* d, int both) {
  fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> left;
  fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> right;
  fragment<accumulator, 8, 8, 128, int> sum;
  load_matrix_sync(left, a, 128);
  load_matrix_sync(right, b, 128);
  load_matrix_sync(sum, c, 8, mem_row_major);
  if (both)
    bmma_sync(sum, left, right, sum, experimental::bmmaBitOpAND);
  else
    bmma_sync(sum, left, right, sum);
  store_matrix_sync(d, sum, 8, mem_row_major);
}

// A product of larger matrices in blocks of four warps, with what programs do to fragments: scaled sums.
extern "C" __global__ void gemm(int n, const __half* a, const __half* b, float* c, float factor) {
  const int warp = threadIdx.x / 32, row = blockIdx.y * 32 + warp / 2 * 16, column = blockIdx.x * 32 + warp % 2 * 16;
  fragment<accumulator, 16, 16, 16, float> sum, old;
  fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    fragment<matrix_a, 16, 16, 16, __half, row_major> left;
    fragment<matrix_b, 16, 16, 16, __half, col_major> right;
    load_matrix_sync(left, a + row * n + k, n);
    load_matrix_sync(right, b + column * n + k, n);
    mma_sync(sum, left, right, sum);
  }
  load_matrix_sync(old, c + row * n + column, n, mem_row_major);
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = factor * sum.x[i] + old.x[i];
  store_matrix_sync(c + row * n + column, sum, n, mem_row_major);
}

__device__ unsigned place(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// 16x16 halves by rows times 16x8 by rows.
__device__ void multiply_tile(const __half* a, const __half* b, float* d) {
  __shared__ __align__(16) __half left[16][16], right[16][8];
  const int lane = threadIdx.x % 32;
  for (int i = lane; i < 256; i += 32) left[i / 16][i % 16] = a[i];
  for (int i = lane; i < 128; i += 32) right[i / 8][i % 8] = b[i];
  __syncwarp();
  unsigned p[4], q[2];
  float c[4] = {};
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(p[0]), "=r"(p[1]), "=r"(p[2]), "=r"(p[3])
               : "r"(place(&left[lane % 16][lane / 16 * 8])));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(q[0]), "=r"(q[1])
               : "r"(place(&right[lane % 16][0])));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(q[0]), "r"(q[1]));
  for (int i = 0; i < 4; ++i) d[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = c[i];
}
extern "C" __global__ void tile(const __half* a, const __half* b, float* d) { multiply_tile(a, b, d); }
// Lanes that take a lock in turn run one by one on the CPU device.
extern "C" __global__ void tile_after_locks(const __half* a, const __half* b, float* d, int* lock, int* turns) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      ++*static_cast<volatile int*>(turns);
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
  __syncwarp();
  multiply_tile(a, b, d);
}

// Bytes: 16x32 by rows times 32x8 by columns.
extern "C" __global__ void tile_of_bytes(const signed char* a, const signed char* b, int* d) {
  __shared__ __align__(16) signed char left[16][32], right[8][32];
  const int lane = threadIdx.x;
  for (int i = lane; i < 512; i += 32) left[i / 32][i % 32] = a[i];
  for (int i = lane; i < 256; i += 32) right[i / 32][i % 32] = b[i];
  __syncwarp();
  unsigned p[4], q[2];
  int c[4] = {};
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(p[0]), "=r"(p[1]), "=r"(p[2]), "=r"(p[3])
               : "r"(place(&left[lane % 16][lane / 16 * 16])));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(q[0]), "=r"(q[1])
               : "r"(place(&right[lane % 8][lane / 8 % 2 * 16])));
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
               : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(q[0]), "r"(q[1]));
  for (int i = 0; i < 4; ++i) d[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = c[i];
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// Two 8x8 matrices, loaded as they are; one stored as it is and transposed, the other transposed in registers.
extern "C" __global__ void transposed(const unsigned short* in, unsigned short* same, unsigned short* turned) {
  __shared__ __align__(16) unsigned short from[16][8], to[32][8];
  const int lane = threadIdx.x;
  for (int i = lane; i < 128; i += 32) from[i / 8][i % 8] = in[i];
  __syncwarp();
  unsigned x[2], t[2];
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(x[0]), "=r"(x[1])
               : "r"(place(from[lane % 16])));
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(place(to[lane % 16])), "r"(x[0]),
               "r"(x[1])
               : "memory");
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(t[0]) : "r"(x[0]));
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(place(to[16 + lane % 8])), "r"(t[0])
               : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(place(to[24 + lane % 8])), "r"(x[1])
               : "memory");
  __syncwarp();
  for (int i = lane; i < 128; i += 32) {
    same[i] = to[i / 8][i % 8];
    turned[i] = to[16 + i / 8][i % 8];
  }
}
#endif
