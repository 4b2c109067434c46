// A whole program in the usual style: host code, launches, the runtime API, and what kernels use of C++.
#include <cuda.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <math_constants.h>
#include <cuComplex.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <vector>

#define CHECK(call)                                                                                    \
  do {                                                                                                 \
    cudaError_t error = (call);                                                                        \
    if (error != cudaSuccess) {                                                                        \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                  \
      exit(EXIT_FAILURE);                                                                              \
    }                                                                                                  \
  } while (0)

__constant__ float coefficients[16];
__device__ int counter = 3;
__device__ const float table[4] = {1.0f, 2.0f, 3.0f, 4.0f};
texture<float, 2> unused_texture;

template <typename T, int N>
struct Vector {
  T v[N];
  __host__ __device__ T& operator[](int i) { return v[i]; }
  __host__ __device__ const T& operator[](int i) const { return v[i]; }
};

template <typename F>
__global__ void apply(F f, float* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = f(p[i]);
}

__host__ __device__ float both(float x) { return sinf(x) + std::exp(x) + std::pow(x, 2) + std::max(x, 1.0f) + rsqrtf(x); }

__global__ void __launch_bounds__(256, 2) kernel(float* __restrict__ p, const int n, cuFloatComplex* c, dim3 extent) {
  extern __shared__ float dynamic[];
  __shared__ int count;
  Vector<float, 4> v;
  v[0] = coefficients[3] + table[n & 3];
  assert(n > 0 && "n must be positive");
  dynamic[threadIdx.x] = both(p[0]);
  count = 0;
  __syncthreads();
  std::array<float, 3> a{1, 2, 3};
  auto pair = std::make_pair(1, 2.0f);
  auto tuple = std::make_tuple(1.0f, 2, 'c');
  p[1] = a[1] + v[0] + std::numeric_limits<float>::max() + std::get<0>(tuple) + pair.second;
  auto scaled = [=] __device__(float x) { return x * n; };
  p[2] = scaled(3.0f) + extent.y;
  atomicAdd(&counter, 1);
  c[0] = cuCmulf(c[1], c[2]);
  c[3] = cuCdivf(c[0], cuCaddf(c[1], make_cuComplex(1.0f, 2.0f)));
  p[3] = cuCabsf(c[3]) + CUDART_PI_F + std::min(p[0], p[1]) + std::clamp(p[4], 0.0f, 1.0f);
  std::complex<float> z(p[0], p[1]);
  z = z * z + z / std::complex<float>(1, 2);
  p[5] = z.real();
  std::swap(p[6], p[7]);
  uint64_t wide = static_cast<uint64_t>(p[8]);
  p[9] = static_cast<float>(wide >> 3) + __builtin_sinf(p[10]) + __builtin_powf(p[11], p[12]);
  if constexpr (std::is_same_v<decltype(wide), unsigned long>) printf("%llu\n", static_cast<unsigned long long>(wide));
}

int main(int argc, char** argv) {
  int n = argc > 1 ? std::atoi(argv[1]) : 1 << 20;
  std::vector<float> host(n, 1.0f);
  float* device = nullptr;
  CHECK(cudaMalloc(&device, n * sizeof(float)));
  CHECK(cudaMalloc((void**)&device, n * sizeof(float)));
  CHECK(cudaMemcpy(device, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToSymbol(coefficients, host.data(), sizeof coefficients));
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  std::cout << properties.name << " " << properties.multiProcessorCount << std::endl;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  dim3 block(16, 16), grid((n + block.x - 1) / block.x);
  CHECK(cudaEventRecord(start, stream));
  kernel<<<grid, block, 1024, stream>>>(device, n, nullptr, grid);
  apply<<<grid.x, 256>>>([=] __device__(float x) { return x * 2; }, device, n);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop, stream));
  CHECK(cudaDeviceSynchronize());
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  int blocks = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0));
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  void* arguments[] = {&device, &n};
  CHECK(cudaLaunchCooperativeKernel((void*)kernel, grid, block, arguments, 0, stream));
  std::thread worker([&] { std::sort(host.begin(), host.end()); });
  worker.join();
  std::mt19937 generator(42);
  std::cout << std::sqrt(2.0) << " " << max(1, 2) << " " << both(1.0f) << " " << std::accumulate(host.begin(), host.end(), 0.0f)
            << " " << sin(1) << " " << std::sin(1.0f) << " " << abs(-3) << " " << std::isnan(1.0) << " " << generator() << "\n";
  CHECK(cudaFree(device));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaStreamDestroy(stream));
  return 0;
}
