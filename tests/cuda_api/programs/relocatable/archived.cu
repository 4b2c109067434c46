// Linked from an archive.
#include "parts.h"

__device__ float table[4];
static __device__ float own = 1;
static __device__ float change(float x) { return twice(x) + own; }

__device__ float mixed(float x) { return twice(x) + factors[1]; }

static __global__ void work(float* data, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = change(data[i]);
}

cudaError_t launch_archived(float* data, int count) {
  work<<<(count + 255) / 256, 256>>>(data, count);
  return cudaGetLastError();
}
