// Plain C++: no kernels here, but the runtime's types and functions.
#include <cuda_runtime.h>

#include "../check.h"
#include "parts.h"

int main() {
  const int n = 1000;
  float* p;
  CHECK(cudaMalloc(&p, n * sizeof(float)));
  fill(p, n, 2);
  scale(p, n, 3);
  float* host = static_cast<float*>(std::malloc(n * sizeof(float)));
  CHECK(cudaMemcpy(host, p, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) EXPECT(host[i] == FACTOR * 6.0f);
  EXPECT(devices_by_c() > 0);
  std::free(host);
  std::puts("passed");
}
