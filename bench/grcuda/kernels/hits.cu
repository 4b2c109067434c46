// HITS: hubs and authorities of a graph, by repeated products with its matrix and the transposed one.
#include "sums.cuh"

// y = matrix * x. Warps take rows as they come, 32 at a time from a counter that starts at 0, and four threads add up a
// row (after LightSpMV: Liu and Schmidt 2015).
extern "C" __global__ void spmv(const int* begins, const int* columns, const float* values, const float* x, float* y,
                                int* next_row, int rows) {
  constexpr int threads = 4, taken = 32;
  const int lane = threadIdx.x % 32, own = lane / threads, part = lane % threads;
  while (true) {
    int first = 0;
    if (lane == 0) first = atomicAdd(next_row, taken);
    first = __shfl_sync(0xffffffffu, first, 0);
    if (first >= rows) return;
    for (int i = 0; i < taken; i += 32 / threads) {
      const int row = first + i + own;
      float sum = 0;
      if (row < rows)
        for (int k = begins[row] + part; k < begins[row + 1]; k += threads) sum += values[k] * x[columns[k]];
      for (int step = threads / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step, threads);
      if (row < rows && part == 0) y[row] = sum;
    }
  }
}

// Adds to *norm.
extern "C" __global__ void sum(const float* x, double* norm, int n) {
  double own = 0;
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += x[i];
  own = block_sum(own);
  if (threadIdx.x == 0) atomicAdd(norm, own);
}

extern "C" __global__ void divide(const float* x, const double* norm, float* out, int n) {
  const double by = *norm;
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = static_cast<float>(x[i] / by);
}
