// Sums through static and dynamic shared memory, shuffles and atomics.
#include <cuda_runtime.h>

#include <vector>

#include "check.h"

template <typename T>
__global__ void sum_blocks(const T* in, T* out, int n) {
  extern __shared__ unsigned char raw[];
  T* part = reinterpret_cast<T*>(raw);
  T mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += in[i];
  part[threadIdx.x] = mine;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

__global__ void sum_warps(const int* in, int* out, int n) {
  __shared__ int part[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int mine = i < n ? in[i] : 0;
  for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xffffffff, mine, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x < 32) {
    mine = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
    for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xffffffff, mine, step);
    if (threadIdx.x == 0) atomicAdd(out, mine);
  }
}

template <typename T>
void test_blocks(int n) {
  const int blocks = 7, threads = 128;
  std::vector<T> in(n), out(blocks);
  T expected = 0;
  for (int i = 0; i < n; ++i) expected += in[i] = static_cast<T>(i % 17);
  T *din, *dout;
  CHECK(cudaMalloc(&din, n * sizeof(T)));
  CHECK(cudaMalloc(&dout, blocks * sizeof(T)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  sum_blocks<T><<<blocks, threads, threads * sizeof(T)>>>(din, dout, n);
  CHECK(cudaMemcpy(out.data(), dout, blocks * sizeof(T), cudaMemcpyDeviceToHost));
  T got = 0;
  for (const T part : out) got += part;
  EXPECT(got == expected);
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
}

int main() {
  test_blocks<int>(10000);
  test_blocks<double>(5555);
  const int n = 4097;
  std::vector<int> in(n, 1);
  int *din, *dout, got = 0;
  CHECK(cudaMalloc(&din, n * sizeof(int)));
  CHECK(cudaMalloc(&dout, sizeof(int)));
  CHECK(cudaMemset(dout, 0, sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  sum_warps<<<(n + 255) / 256, 256>>>(din, dout, n);
  CHECK(cudaMemcpy(&got, dout, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(got == n);
  std::puts("passed");
}
