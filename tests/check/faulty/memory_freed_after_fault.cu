// run: --check=all
// expect: write of 4 bytes
// The fault is the mistake. What the program gives back after it is no leak, although CUDA refuses that.
__global__ void fill(int* x) {
  x[threadIdx.x + 1] = 1;  // here
}
int main() {
  int *x, *other;
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMalloc(&other, 256);
  fill<<<1, 64>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(other);
}
