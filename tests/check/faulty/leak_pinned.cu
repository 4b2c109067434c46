// run: --check=leak
// expect: leak: 1000 bytes of pinned host memory
int main() {
  void* x = nullptr;
  cudaMallocHost(&x, 1000);  // here
}
