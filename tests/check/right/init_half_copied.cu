// run: --check=init
#include <vector>
__global__ void add(const int* x, int* y) {
  y[threadIdx.x] = x[threadIdx.x] + 1;
}
int main() {
  int *x, *y;
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMalloc(&y, 64 * sizeof(int));
  std::vector<int> host(64, 3);
  cudaMemcpy(x, host.data(), 64 * sizeof(int), cudaMemcpyHostToDevice);
  add<<<1, 64>>>(x, y);
  cudaDeviceSynchronize();
}
