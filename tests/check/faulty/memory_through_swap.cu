// launch: --check=memory --block 1 --arg zeros:i32:4 --arg i32:4
// expect: right behind the end
__global__ void last(int* data, int n) {
  data[0] = 1;
  std::swap(data[0], data[n]);  // here
}
