// run: --check=leak
int main() {
  void* x = nullptr;
  cudaMallocAsync(&x, 1000, 0);
  cudaDeviceSynchronize();
  cudaFreeAsync(x, 0);
  cudaDeviceSynchronize();
}
