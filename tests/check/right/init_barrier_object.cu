// run: --check=all
// Setting up a barrier object reads nothing of the shared memory that it is in.
#include <cstdio>
__global__ void meet(int* out) {
  __shared__ unsigned long long barrier;
  __shared__ int values[128];
  const auto place = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place), "r"(blockDim.x) : "memory");
  __syncthreads();
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(place) : "memory");
  int done = 0;
  while (!done)
    asm volatile(
        "{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(place), "l"(state)
        : "memory");
  out[threadIdx.x] = values[127 - threadIdx.x];
}
int main() {
  int *out, first = 0;
  cudaMalloc(&out, 128 * sizeof(int));
  meet<<<1, 128>>>(out);
  cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
  cudaFree(out);
  std::printf("%d\n", first);
  return first == 127 ? 0 : 1;
}
