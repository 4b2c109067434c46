// An assertion of a kernel ends the context; the program sees it and ends with a code of its own.
#include <cuda_runtime.h>

#include <cassert>
#include <cstdio>

__global__ void test(int limit) { assert(static_cast<int>(threadIdx.x) < limit); }

int main() {
  test<<<1, 32>>>(32);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  test<<<1, 32>>>(31);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(error));
  if (error != cudaErrorAssert) return 2;
  void* p;
  if (cudaMalloc(&p, 4) != cudaErrorAssert) return 3;  // it stays
  return 42;
}
