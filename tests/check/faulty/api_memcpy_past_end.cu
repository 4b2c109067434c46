// run: --check=api
// expect: api: cudaMemcpy
__global__ void nothing(int*) {}
int main() {
  int* x = nullptr;
  cudaMalloc(&x, 256);
  char host[512] = {};
  cudaMemcpy(x, host, 512, cudaMemcpyHostToDevice);
  cudaDeviceSynchronize();
}
