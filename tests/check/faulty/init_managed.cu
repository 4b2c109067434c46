// run: --check=init
// expect: uninitialised read
__global__ void use(const int* x, const int* base, int* y) {
  y[threadIdx.x] = x[threadIdx.x] + base[0];  // here
}
int main() {
  int *x, *y, *base;
  cudaMallocManaged(&x, 64 * sizeof(int));
  cudaMalloc(&base, sizeof(int));
  cudaMalloc(&y, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) x[i] = i;
  use<<<1, 64>>>(x, base, y);
  cudaDeviceSynchronize();
}
