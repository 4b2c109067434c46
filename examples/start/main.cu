// With more.cpp a program of two files: heddle cc -O2 main.cu more.cpp -o program
#include <cstdio>

int number_of_threads();  // more.cpp

__global__ void count(int* counter) { atomicAdd(counter, 1); }

int main() {
  const int threads = number_of_threads();
  int *counter = nullptr, result = 0;
  if (cudaMalloc(&counter, sizeof *counter) != cudaSuccess) {
    std::puts("there is no device, or it has no memory");
    return 1;
  }
  cudaMemset(counter, 0, sizeof *counter);
  count<<<threads / 128, 128>>>(counter);
  cudaMemcpy(&result, counter, sizeof result, cudaMemcpyDeviceToHost);
  std::printf("%d of %d threads have counted\n", result, threads);
  cudaFree(counter);
  return result == threads ? 0 : 1;
}
