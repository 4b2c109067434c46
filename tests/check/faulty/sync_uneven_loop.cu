// launch: --check=sync --block 32 --arg i32:40 --arg zeros:i32:64
// expect: names lanes
__global__ void loop(int n, int* out) {
  for (int i = threadIdx.x; i < n; i += 32) {
    const int v = __shfl_xor_sync(0xffffffffu, i, 1);  // here
    if (i < n) out[i] = v;
  }
}
