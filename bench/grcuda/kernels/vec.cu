// VEC: the sum of the differences of two vectors' squares.
#include "sums.cuh"

extern "C" __global__ void square(const float* in, float* out, int n) {
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i] * in[i];
}

// Adds to *sum.
extern "C" __global__ void reduce(const float* x, const float* y, double* sum, int n) {
  double own = 0;
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += x[i] - y[i];
  own = block_sum(own);
  if (threadIdx.x == 0) atomicAdd(sum, own);
}
