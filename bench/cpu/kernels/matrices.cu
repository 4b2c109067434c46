// Products of square matrices of halves with sums in float: c = a * b, where b lies by columns. n is a multiple of 64.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda::wmma;

// Blocks of four warps, each with 32x32 sums.
extern "C" __global__ void by_tensor_cores(int n, const __half* a, const __half* b, float* c) {
  const int warp = threadIdx.x / 32, row = blockIdx.y * 64 + warp / 2 * 32, column = blockIdx.x * 64 + warp % 2 * 32;
  fragment<accumulator, 16, 16, 16, float> sums[2][2];
  for (auto& line : sums)
    for (auto& sum : line) fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    fragment<matrix_a, 16, 16, 16, __half, row_major> left[2];
    fragment<matrix_b, 16, 16, 16, __half, col_major> right[2];
    for (int i = 0; i < 2; ++i) {
      load_matrix_sync(left[i], a + (row + 16 * i) * n + k, n);
      load_matrix_sync(right[i], b + (column + 16 * i) * n + k, n);
    }
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) mma_sync(sums[i][j], left[i], right[j], sums[i][j]);
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      store_matrix_sync(c + (row + 16 * i) * n + column + 16 * j, sums[i][j], n, mem_row_major);
}

// The same without tensor cores: blocks of 16x16 threads, each with 4x4 sums.
extern "C" __global__ void by_threads(int n, const __half* a, const __half* b, float* c) {
  constexpr int tile = 64, depth = 16;
  __shared__ float left[depth][tile], right[depth][tile];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16, row = blockIdx.y * tile, column = blockIdx.x * tile;
  float sums[4][4] = {};
  for (int k = 0; k < n; k += depth) {
    for (int i = threadIdx.x; i < depth * tile; i += blockDim.x) {
      left[i % depth][i / depth] = __half2float(a[(row + i / depth) * n + k + i % depth]);
      right[i % depth][i / depth] = __half2float(b[(column + i / depth) * n + k + i % depth]);
    }
    __syncthreads();
    for (int d = 0; d < depth; ++d)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sums[i][j] += left[d][y * 4 + i] * right[d][x * 4 + j];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) c[(row + y * 4 + i) * n + column + x * 4 + j] = sums[i][j];
}
