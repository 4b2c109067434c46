// launch: --check=race --grid 2 --block 32 --arg zeros:i32:64
// expect: race
__global__ void shift(int* x) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  const int next = i < 63 ? x[i + 1] : 0;  // here before
  x[i] = next + i + 1;  // here before
}
