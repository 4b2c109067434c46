// run: --check=api
// expect: api: cudaMemset(p = 0x
__global__ void nothing(int*) {}
int main() {
  int* x = nullptr;
  cudaMalloc(&x, 256);
  cudaMemset(x, 0, 257);  // here
  cudaDeviceSynchronize();
}
