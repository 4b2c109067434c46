// run: --check=memory
// expect: which was freed
__global__ void fill(int* x) {
  x[threadIdx.x] = 1;  // here
}
int main() {
  int* x;
  cudaMalloc(&x, 256);
  cudaFree(x);
  fill<<<1, 64>>>(x);
  cudaDeviceSynchronize();
}
