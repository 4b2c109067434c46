// launch: --check=sync --block 32 --arg zeros:i32:32
// expect: names lanes 16 to 31
__global__ void shuffle(int* out) {
  int v = threadIdx.x;
  if (threadIdx.x < 16) v = __shfl_down_sync(0xffffffffu, v, 1);  // here
  out[threadIdx.x] = v;
}
