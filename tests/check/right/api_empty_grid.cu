// run: --check=api
__global__ void nothing(int*) {}
int main() {
  int* x = nullptr;
  cudaMalloc(&x, 256);
  nothing<<<1, 32>>>(x);
  cudaDeviceSynchronize();
}
