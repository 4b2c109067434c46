// A whole CUDA program, for `heddle run program.cu [NUMBER]`: sums the first NUMBER squares.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void add_squares(const int* numbers, unsigned long long* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, static_cast<unsigned long long>(numbers[i]) * numbers[i]);
}

int main(int count, char** arguments) {
  const int n = count > 1 ? std::atoi(arguments[1]) : 1000;
  std::vector<int> numbers(n);
  for (int i = 0; i < n; ++i) numbers[i] = i + 1;
  int* on_device = nullptr;
  unsigned long long *sum = nullptr, result = 0;
  cudaMalloc(&on_device, n * sizeof(int));
  cudaMalloc(&sum, sizeof *sum);
  cudaMemcpy(on_device, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(sum, 0, sizeof *sum);
  add_squares<<<(n + 255) / 256, 256>>>(on_device, sum, n);
  cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
  const cudaError_t error = cudaGetLastError();
  std::printf("%s: the sum of the first %d squares is %llu\n", cudaGetErrorString(error), n, result);
  cudaFree(on_device);
  cudaFree(sum);
  return error == cudaSuccess ? 0 : 1;
}
