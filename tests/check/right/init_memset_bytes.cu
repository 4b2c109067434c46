// run: --check=init
__global__ void add(const int* x, int* y) {
  y[threadIdx.x] = x[threadIdx.x] * 2;
}
int main() {
  int *x, *y;
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMalloc(&y, 64 * sizeof(int));
  cudaMemset(x, 0, 64 * sizeof(int));
  add<<<1, 64>>>(x, y);
  cudaDeviceSynchronize();
}
