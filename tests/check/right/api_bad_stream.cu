// run: --check=api
__global__ void nothing(int*) {}
int main() {
  int* x = nullptr;
  cudaMalloc(&x, 256);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamSynchronize(s);
  cudaStreamDestroy(s);
  cudaDeviceSynchronize();
}
