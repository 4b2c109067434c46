// launch: --check=sync --block 32 --arg zeros:i32:32
__global__ void shuffle(int* out) {
  int v = threadIdx.x;
  if (threadIdx.x < 16) v = __shfl_down_sync(0x0000ffffu, v, 1);
  out[threadIdx.x] = v;
}
