// run: --check=all
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void phases(int* x, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int turn = 0; turn < 3; ++turn) {
    x[i] = i + turn;
    cg::this_grid().sync();
    y[i] = x[n - 1 - i];
    cg::this_grid().sync();
  }
}
int main() {
  int *x, *y;
  cudaMalloc(&x, 256 * sizeof(int));
  cudaMalloc(&y, 256 * sizeof(int));
  void* arguments[] = {&x, &y};
  cudaLaunchCooperativeKernel(phases, dim3(4), dim3(64), arguments, 0, nullptr);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}
