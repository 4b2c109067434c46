// run: --check=api
// expect: api: cudaLaunchKernel
__global__ void nothing(int*) {}
int main() {
  int* x = nullptr;
  cudaMalloc(&x, 256);
  nothing<<<1, 2048>>>(x);  // here
  cudaDeviceSynchronize();
}
