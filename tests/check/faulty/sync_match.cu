// launch: --check=sync --block 32 --arg zeros:i32:32
// expect: names lane 31
__global__ void match(int* out) {
  int v = 0;
  if (threadIdx.x != 31) v = __match_any_sync(0xffffffffu, threadIdx.x % 3);  // here
  out[threadIdx.x] = v;
}
