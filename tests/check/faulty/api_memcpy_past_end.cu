// run: --check=api
// expect: size = 512, kind = cudaMemcpyHostToDevice), called at
__global__ void nothing(int*) {}
int main() {
  int* x = nullptr;
  cudaMalloc(&x, 256);
  char host[512] = {};
  cudaMemcpy(x, host, 512, cudaMemcpyHostToDevice);  // here
  cudaDeviceSynchronize();
}
