// run: --check=leak
int main() {
  void* x = nullptr;
  cudaMalloc(&x, 1000);
  cudaFree(x);
}
