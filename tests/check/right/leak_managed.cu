// run: --check=leak
int main() {
  void* x = nullptr;
  cudaMallocManaged(&x, 1000);
  cudaFree(x);
}
