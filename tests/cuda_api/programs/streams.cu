// Pinned memory, two streams of copies and kernels, events between them and around them.
#include <cuda_runtime.h>

#include "check.h"

__global__ void scale(int* p, int n, int factor) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] *= factor;
}
__global__ void join(int* to, const int* a, const int* b, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = a[i] - b[i];
}

int main() {
  const int n = 1 << 16;
  int *host, *device[2], *result;
  CHECK(cudaMallocHost(&host, 2 * n * sizeof(int)));
  CHECK(cudaMalloc(&result, n * sizeof(int)));
  for (int i = 0; i < 2 * n; ++i) host[i] = i % n;
  cudaStream_t streams[2];
  cudaEvent_t begin, end, half;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventCreateWithFlags(&half, cudaEventDisableTiming));
  for (int s = 0; s < 2; ++s) {
    CHECK(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
    CHECK(cudaMalloc(&device[s], n * sizeof(int)));
  }
  CHECK(cudaEventRecord(begin, streams[0]));
  for (int s = 0; s < 2; ++s) {
    CHECK(cudaMemcpyAsync(device[s], host + s * n, n * sizeof(int), cudaMemcpyHostToDevice, streams[s]));
    for (int k = 0; k < 4; ++k) scale<<<31, 128, 0, streams[s]>>>(device[s], n, s + 2);
  }
  CHECK(cudaEventRecord(half, streams[1]));
  CHECK(cudaStreamWaitEvent(streams[0], half, 0));
  join<<<31, 128, 0, streams[0]>>>(result, device[1], device[0], n);
  CHECK(cudaMemcpyAsync(host, result, n * sizeof(int), cudaMemcpyDeviceToHost, streams[0]));
  CHECK(cudaEventRecord(end, streams[0]));
  CHECK(cudaEventSynchronize(end));
  EXPECT(cudaEventQuery(end) == cudaSuccess);
  float ms = -1;
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  EXPECT(ms >= 0);
  for (int i = 0; i < n; ++i) EXPECT(host[i] == i * (81 - 16));
  for (int s = 0; s < 2; ++s) CHECK(cudaStreamDestroy(streams[s]));
  CHECK(cudaFreeHost(host));
  std::puts("passed");
}
