// __constant__ and __device__ variables, static ones and arrays among them.
#include <cuda_runtime.h>

#include "check.h"

__constant__ float coefficients[4];
__device__ int counter = 5;
static __device__ double hidden[3] = {1, 2, 3};
__device__ volatile int awaited[4];
namespace {
__constant__ int nameless = 7;
}

__global__ void use(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = static_cast<float>(i);
  out[i] = ((coefficients[3] * x + coefficients[2]) * x + coefficients[1]) * x + coefficients[0];
  atomicAdd(&counter, nameless);
  if (i == 0) hidden[1] += hidden[2];
  if (i == 0) awaited[1] = awaited[0] + 1;
}

int main() {
  const int n = 100;
  const float values[4] = {1, 2, 0, 3};
  CHECK(cudaMemcpyToSymbol(coefficients, values, sizeof values));
  const int nine = 9;
  CHECK(cudaMemcpyToSymbol(nameless, &nine, sizeof nine));
  const int six = 6;
  CHECK(cudaMemcpyToSymbol(awaited, &six, sizeof six));
  CHECK(cudaMemcpyToSymbolAsync(awaited, &six, sizeof six, 2 * sizeof six));
  float *out, got[n];
  CHECK(cudaMalloc(&out, sizeof got));
  use<<<4, 32>>>(out, n);
  CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) EXPECT(got[i] == 3.0f * i * i * i + 2.0f * i + 1.0f);
  int count;
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  EXPECT(count == 5 + 9 * n);
  double second;
  CHECK(cudaMemcpyFromSymbol(&second, hidden, sizeof second, sizeof second));
  EXPECT(second == 5);
  int seven, set;
  CHECK(cudaMemcpyFromSymbol(&seven, awaited, sizeof seven, sizeof seven));
  CHECK(cudaMemcpyFromSymbolAsync(&set, awaited, sizeof set, 2 * sizeof set));
  CHECK(cudaDeviceSynchronize());
  EXPECT(seven == 7 && set == 6);
  void* address;
  size_t size;
  CHECK(cudaGetSymbolAddress(&address, hidden));
  CHECK(cudaGetSymbolSize(&size, hidden));
  EXPECT(size == sizeof hidden);
  CHECK(cudaMemcpy(&second, address, sizeof second, cudaMemcpyDeviceToHost));
  EXPECT(second == 1);
  CHECK(cudaGetSymbolAddress(&address, awaited));
  CHECK(cudaGetSymbolSize(&size, awaited));
  EXPECT(size == sizeof awaited);
  CHECK(cudaMemcpy(&seven, static_cast<int*>(address) + 1, sizeof seven, cudaMemcpyDeviceToHost));
  EXPECT(seven == 7);
  std::puts("passed");
}
