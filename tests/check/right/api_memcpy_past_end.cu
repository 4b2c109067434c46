// run: --check=api
__global__ void nothing(int*) {}
int main() {
  int* x = nullptr;
  cudaMalloc(&x, 256);
  char host[512] = {};
  cudaMemcpy(x, host, 256, cudaMemcpyHostToDevice);
  cudaDeviceSynchronize();
}
