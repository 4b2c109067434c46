// launch: --check=sync --block 32 --arg zeros:i32:32
// expect: does not name it
__global__ void outside(int* out) {
  out[threadIdx.x] = __shfl_sync(0x0000ffffu, threadIdx.x, 0);  // here
}
