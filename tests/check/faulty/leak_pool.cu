// run: --check=leak
// expect: leak: 1000 bytes of device memory of a pool
int main() {
  void* x = nullptr;
  cudaMallocAsync(&x, 1000, 0);  // here
  cudaDeviceSynchronize();
}
