// What a device says of itself, and how a kernel fills it.
#include <cuda_runtime.h>

#include "check.h"

__global__ void kernel(float* p) {
  __shared__ float part[256];
  part[threadIdx.x % 256] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = part[(threadIdx.x + 1) % 256];
}

int main() {
  int count = 0, device = -1;
  CHECK(cudaGetDeviceCount(&count));
  EXPECT(count > 0);
  CHECK(cudaSetDevice(0));
  CHECK(cudaGetDevice(&device));
  EXPECT(device == 0);
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, device));
  EXPECT(properties.warpSize == 32);
  EXPECT(properties.maxThreadsPerBlock >= 1024);
  EXPECT(properties.multiProcessorCount > 0);
  EXPECT(properties.totalGlobalMem > 0);
  int value = 0;
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, device));
  EXPECT(value == properties.multiProcessorCount);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeMode, device));
  EXPECT(value != cudaComputeModeProhibited);
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, kernel));
  EXPECT(attributes.sharedSizeBytes == 256 * sizeof(float));
  int blocks = 0, grid = 0, block = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0));
  EXPECT(blocks >= 1);
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 0, 0));
  EXPECT(grid >= 1 && block >= 32 && block % 32 == 0);
  std::puts("passed");
}
