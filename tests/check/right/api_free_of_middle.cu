// run: --check=api
__global__ void nothing(int*) {}
int main() {
  int* x = nullptr;
  cudaMalloc(&x, 256);
  cudaFree(x);
  cudaDeviceSynchronize();
}
