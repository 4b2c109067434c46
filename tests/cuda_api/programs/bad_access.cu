// Writes behind the end of an allocation, for heddle run --check. The program takes no notice.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void write(int* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) p[i] = i;
}

int main() {
  int* p;
  if (cudaMalloc(&p, 100 * sizeof(int)) != cudaSuccess) return 1;
  write<<<4, 32>>>(p, 100);
  cudaDeviceSynchronize();
  std::puts("ended");
}
