// run: --check=leak
// expect: leak: 100 bytes of device memory
int main() {
  int* all[4];
  for (int i = 0; i < 4; ++i)
    cudaMalloc(&all[i], 100);  // here
}
