// A CUDA program for tests of commands: prints 1, and ends with 1 where CUDA fails or the kernel has not run.
#pragma once

namespace heddle::tests {

inline constexpr const char* program = R"(#include <cstdio>
__global__ void k(int* p) { p[threadIdx.x] = 1; }
int main() {
  int *p, one = 0;
  cudaMalloc(&p, 128);
  k<<<1, 32>>>(p);
  const cudaError_t failed = cudaMemcpy(&one, p, 4, cudaMemcpyDeviceToHost);
  std::printf("%d\n", one);
  return failed != cudaSuccess || one != 1;
}
)";

}  // namespace heddle::tests
