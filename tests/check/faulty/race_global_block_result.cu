// launch: --check=race --grid 8 --block 64 --arg zeros:i32:1
// expect: race (write after write)
__global__ void last_block(int* out) {
  if (threadIdx.x == 0) *out = blockIdx.x;  // here before
}
