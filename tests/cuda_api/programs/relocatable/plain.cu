// Compiled without -rdc=true: a module of its own in the same program.
#include <cuda_runtime.h>

static __device__ float own = 7;

static __global__ void work(float* data, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] += own;
}

cudaError_t launch_plain(float* data, int count) {
  work<<<(count + 63) / 64, 64>>>(data, count);
  return cudaGetLastError();
}
