// launch: --check=memory --block 1 --arg zeros:i32:4 --arg i32:3
__global__ void last(int* data, int n) {
  data[0] = 1;
  std::swap(data[0], data[n]);
}
