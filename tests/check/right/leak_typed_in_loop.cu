// run: --check=leak
int main() {
  int* all[4];
  for (int i = 0; i < 4; ++i)
    cudaMalloc(&all[i], 100);
  for (int* one : all) cudaFree(one);
}
