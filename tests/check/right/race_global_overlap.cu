// launch: --check=race --grid 2 --block 32 --arg zeros:i32:64
__global__ void shift(int* x) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  const int next = x[i];
  x[i] = next + i + 1;
}
