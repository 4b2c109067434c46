// A shared library with kernels of its own, which a program opens, closes and opens again.
#include <cuda_runtime.h>

__device__ int calls;
__managed__ int runs = 40;
__global__ void square(int* p) {
  p[threadIdx.x] *= p[threadIdx.x];
  if (threadIdx.x == 0) ++calls, ++runs;
}

extern "C" cudaError_t run_square(int* p, int n, int* calls_so_far) {
  square<<<1, n>>>(p);
  if (const cudaError_t error = cudaDeviceSynchronize()) return error;
  if (runs++ != 41) return cudaErrorUnknown;
  return cudaMemcpyFromSymbol(calls_so_far, calls, sizeof(int));
}
