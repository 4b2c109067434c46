// printf in kernels: the text is there after a synchronization, in the order of the launches.
#include <cuda_runtime.h>

#include "check.h"

__global__ void say(int n, const char* what) {
  if (threadIdx.x == 0 && blockIdx.x == 0) printf("kernel %d: %s %5.2f %lld\n", n, "text", 2.5 * n, 1ll << 40);
}

int main() {
  for (int i = 0; i < 3; ++i) say<<<2, 32>>>(i, nullptr);
  CHECK(cudaDeviceSynchronize());
  std::puts("passed");
}
