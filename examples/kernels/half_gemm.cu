// C = A B in half precision with sums in single precision, and with packed half2 arithmetic.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void half_gemm(int m, int n, int k, const half* a, const half* b, half* c) {
  constexpr int tile = 16;
  __shared__ half left[tile][tile], right[tile][tile];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * tile + ty, column = blockIdx.x * tile + tx;
  float sum = 0;
  for (int start = 0; start < k; start += tile) {
    left[ty][tx] = row < m && start + tx < k ? a[row * k + start + tx] : __float2half(0.0f);
    right[ty][tx] = start + ty < k && column < n ? b[(start + ty) * n + column] : __float2half(0.0f);
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum += __half2float(left[ty][i]) * __half2float(right[i][tx]);
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = __float2half(sum);
}

// y = a x + y on pairs.
extern "C" __global__ void half2_axpy(int pairs, float a, const half2* x, half2* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pairs) y[i] = __hfma2(__float2half2_rn(a), x[i], y[i]);
}

extern "C" __global__ void bfloat16_dot(int n, const __nv_bfloat16* x, const __nv_bfloat16* y, float* result) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += __bfloat162float(x[i]) * __bfloat162float(y[i]);
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(result, sum);
}
