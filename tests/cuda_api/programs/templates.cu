// Kernels that are templates, functors and lambdas, launched by <<<>>> and by cudaLaunchKernel.
#include <cuda_runtime.h>

#include "check.h"

struct Affine {
  float a, b;
  __host__ __device__ float operator()(float x) const { return a * x + b; }
};

template <typename F>
__global__ void apply(float* p, int n, F f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = f(p[i]);
}
template <int N, typename T>
__global__ void fill(T* p, T value) {
  if (threadIdx.x < N) p[threadIdx.x] = value;
}
namespace {
template <typename T>
__device__ T twice(T x) { return x + x; }
__global__ void local(float* p) { p[threadIdx.x] = twice(p[threadIdx.x]); }
}  // namespace
static __global__ void internal(float* p) { p[threadIdx.x] -= 1; }

int main() {
  const int n = 64;
  float *p, got[n];
  CHECK(cudaMalloc(&p, sizeof got));
  fill<n><<<1, n>>>(p, 3.0f);
  apply<<<2, 32>>>(p, n, Affine{2, 1});  // 7
  const float more = 4;
  apply<<<2, 32>>>(p, n, [=] __device__(float x) { return x + more; });           // 11
  apply<<<2, 32>>>(p, n, [=] __host__ __device__(float x) { return x * more; });  // 44
  local<<<1, n>>>(p);                                                             // 88
  internal<<<1, n>>>(p);                                                          // 87
  int count = n;
  Affine half{0.5f, 0};
  void* arguments[] = {&p, &count, &half};
  CHECK(cudaLaunchKernel((const void*)apply<Affine>, dim3(2), dim3(32), arguments, 0, 0));
  CHECK(cudaLaunchKernel(apply<Affine>, dim3(2), dim3(32), arguments));
  CHECK(cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost));
  for (const float value : got) EXPECT(value == 87.0f / 4);
  EXPECT(half(8) == 4);
  std::puts("passed");
}
