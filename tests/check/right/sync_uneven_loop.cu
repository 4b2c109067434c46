// launch: --check=sync --block 32 --arg i32:40 --arg zeros:i32:64
__global__ void loop(int n, int* out) {
  for (int i = threadIdx.x; i < (n + 31) / 32 * 32; i += 32) {
    const int v = __shfl_xor_sync(0xffffffffu, i, 1);
    if (i < n) out[i] = v;
  }
}
