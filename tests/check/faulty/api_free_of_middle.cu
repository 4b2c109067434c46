// run: --check=api
// expect: api: cudaFree
__global__ void nothing(int*) {}
int main() {
  int* x = nullptr;
  cudaMalloc(&x, 256);
  cudaFree(x + 4);  // here
  cudaDeviceSynchronize();
}
