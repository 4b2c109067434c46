// Tensor cores and asynchronous copies.
#include <mma.h>
#include <cuda_pipeline.h>
#include <cooperative_groups.h>
using namespace nvcuda;
extern "C" __global__ void multiply(const __half* a, const __half* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

extern "C" __global__ void staged(float4* out, const float4* in) {
  __shared__ float4 stage[128];
  __pipeline_memcpy_async(&stage[threadIdx.x], &in[threadIdx.x], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = stage[127 - threadIdx.x];
}

extern "C" __global__ void whole_grid(int* x) {
  auto grid = cooperative_groups::this_grid();
  auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
  x[grid.thread_rank()] += tile.shfl(threadIdx.x, 0);
  grid.sync();
  x[grid.thread_rank()] *= 2;
}
