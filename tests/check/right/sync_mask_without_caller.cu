// launch: --check=sync --block 32 --arg zeros:i32:32
__global__ void outside(int* out) {
  out[threadIdx.x] = __shfl_sync(0xffffffffu, threadIdx.x, 0);
}
