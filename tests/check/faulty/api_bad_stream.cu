// run: --check=api
// expect: api: cudaStreamSynchronize
__global__ void nothing(int*) {}
int main() {
  int* x = nullptr;
  cudaMalloc(&x, 256);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamDestroy(s);
  cudaStreamSynchronize(s);  // here
  cudaDeviceSynchronize();
}
