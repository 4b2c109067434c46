// launch: --check=race --grid 8 --block 64 --arg zeros:i32:1
__global__ void last_block(int* out) {
  if (threadIdx.x == 0 && blockIdx.x == 3) *out = blockIdx.x;
}
