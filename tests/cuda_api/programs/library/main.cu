#include <cuda_runtime.h>
#include <dlfcn.h>

#include "../check.h"

__managed__ int counted;
__global__ void count_up(int* p) {
  p[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) ++counted;
}

int main(int, char** arguments) {
  const int n = 16;
  int *p, host[n], calls = 0;
  CHECK(cudaMalloc(&p, sizeof host));
  for (int round = 0; round < 2; ++round) {
    count_up<<<1, n>>>(p);
    void* library = dlopen(arguments[1], RTLD_NOW);
    EXPECT(library);
    auto* square = reinterpret_cast<cudaError_t (*)(int*, int, int*)>(dlsym(library, "run_square"));
    EXPECT(square);
    CHECK(square(p, n, &calls));
    EXPECT(calls == 1);  // the variable is new with the library
    CHECK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) EXPECT(host[i] == i * i);
    EXPECT(counted == round + 1);
    dlclose(library);
  }
  std::puts("passed");
}
