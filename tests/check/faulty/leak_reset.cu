// run: --check=leak
// expect: leak: 1000 bytes of device memory
int main() {
  void* x = nullptr;
  cudaMalloc(&x, 1000);  // here
  cudaDeviceReset();
}
