// launch: --check=sync --block 32 --arg zeros:i32:33
// Threads that wait for others of their warp, each on its own, and the same operation at two places.
__global__ void halves(int* out) {
  const int i = threadIdx.x;
  volatile int* flag = out + 32;
  if (i < 16) {
    while (*flag == 0) {
    }
    out[i] = __shfl_xor_sync(0xffffffffu, i, 1);
  } else {
    *flag = 1;
    out[i] = __ballot_sync(0xffff0000u, i % 4 == 0);
    out[i] += __shfl_xor_sync(0xffffffffu, 2 * i, 1);
  }
}
