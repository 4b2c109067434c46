// launch: --check=sync --block 32 --arg zeros:i32:32
__global__ void match(int* out) {
  int v = 0;
  if (threadIdx.x != 31) v = __match_any_sync(0x7fffffffu, threadIdx.x % 3);
  out[threadIdx.x] = v;
}
