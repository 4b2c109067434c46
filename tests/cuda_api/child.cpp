// What process_test.cpp runs as a process of its own. The argument says what it does.
#include <cstdio>
#include <cstring>
#include <numeric>

#include "cuda_api/cudart.hpp"

using namespace heddle::tests;

namespace {

// Ends while kernels run and commands wait, some of them in other threads.
int leave() {
  static Program program;
  static Gate gate;
  void* x = nullptr;
  constexpr std::uint32_t n = 1 << 20;
  cudaMalloc(&x, n * 4);
  for (int i = 0; i < 200; ++i) program.launch_add(x, n, 1);
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  gate.hold(stream);
  for (int i = 0; i < 200; ++i) program.launch_add(x, n, 1, stream);
  cudaLaunchHostFunc(cudaStreamPerThread, [](void*) {}, nullptr);
  std::thread([=] {
    for (;;) program.launch_add(x, n, 1, cudaStreamPerThread);
  }).detach();
  return 0;
}

// One element too many.
int beyond() {
  static Program program;
  void* x = nullptr;
  cudaMalloc(&x, 25 * 4);
  program.launch_add(x, 26, 1);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%d\n", static_cast<int>(error));
  return 0;
}

int sum() {
  static Program program;
  constexpr std::uint32_t n = 10000;
  std::vector<std::uint32_t> values(n);
  std::iota(values.begin(), values.end(), 0u);
  void* x = nullptr;
  cudaMalloc(&x, n * 4);
  cudaMemcpy(x, values.data(), n * 4, cudaMemcpyHostToDevice);
  for (std::uint32_t i = 1; i <= 5; ++i) program.launch_add(x, n, i);
  cudaMemcpy(values.data(), x, n * 4, cudaMemcpyDeviceToHost);
  std::uint64_t hash = 0;
  for (const std::uint32_t value : values) hash = hash * 1000003 + value;
  std::printf("%llu\n", static_cast<unsigned long long>(hash));
  return 0;
}

}  // namespace

int main(int, char** arguments) {
  if (std::strcmp(arguments[1], "leave") == 0) return leave();
  if (std::strcmp(arguments[1], "beyond") == 0) return beyond();
  if (std::strcmp(arguments[1], "sum") == 0) return sum();
  return 2;
}
