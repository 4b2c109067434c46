// run: --check=leak
// expect: leak: 1000 bytes of managed memory
int main() {
  void* x = nullptr;
  cudaMallocManaged(&x, 1000);  // here
}
