// run: --check=leak
int main() {
  void* x = nullptr;
  cudaMallocHost(&x, 1000);
  cudaFreeHost(x);
}
