// run: --check=memory
__global__ void fill(int* x) {
  x[threadIdx.x] = 1;
}
int main() {
  int* x;
  cudaMalloc(&x, 256);
  fill<<<1, 64>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
}
