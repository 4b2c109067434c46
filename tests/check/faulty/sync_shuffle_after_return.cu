// launch: --check=sync --block 32 --arg i32:20 --arg zeros:i32:32
// expect: names lanes 20 to 31
__global__ void sum(int n, int* out) {
  if (threadIdx.x >= n) return;
  int v = threadIdx.x < n ? threadIdx.x : 0;
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);  // here
  out[threadIdx.x] = v;
}
