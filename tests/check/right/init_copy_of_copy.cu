// run: --check=init
__global__ void use(const int* x, int* y) {
  y[threadIdx.x] = x[threadIdx.x] + 1;
}
int main() {
  int *x, *y;
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMalloc(&y, 64 * sizeof(int));
  int* z;
  cudaMalloc(&z, 64 * sizeof(int));
  cudaMemset(x, 1, 64 * sizeof(int));
  cudaMemcpy(z, x, 64 * sizeof(int), cudaMemcpyDeviceToDevice);
  use<<<1, 64>>>(z, y);
  cudaDeviceSynchronize();
}
