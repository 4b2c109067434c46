// A CUDA program that does next to nothing, and says when: nanoseconds of CLOCK_MONOTONIC at the beginning of main(),
// behind the first call of CUDA, behind the first kernel, and at the end of main().
#include <cuda_runtime.h>
#include <time.h>

#include <cstdio>

static long long now() {
  timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * 1000000000ll + at.tv_nsec;
}

static bool failed(const char* what, cudaError_t error) {
  if (error != cudaSuccess) std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  return error != cudaSuccess;
}

__global__ void answer(int* where) { *where = 42; }

int main() {
  const long long begin = now();
  if (failed("cudaFree(0)", cudaFree(nullptr))) return 1;
  const long long called = now();
  int *there = nullptr, here = 0;
  if (failed("cudaMalloc", cudaMalloc(&there, sizeof *there))) return 1;
  answer<<<1, 1>>>(there);
  if (failed("the kernel", cudaDeviceSynchronize())) return 1;
  const long long launched = now();
  if (failed("cudaMemcpy", cudaMemcpy(&here, there, sizeof here, cudaMemcpyDeviceToHost))) return 1;
  if (failed("cudaFree", cudaFree(there))) return 1;
  if (here != 42) {
    std::fprintf(stderr, "the kernel gives %d\n", here);
    return 1;
  }
  std::printf("%lld %lld %lld %lld\n", begin, called, launched, now());
  return 0;
}
