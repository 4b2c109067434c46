// launch: --check=sync --block 32 --arg zeros:i32:33
// expect: at different operations
// Threads that wait for others of their warp, each on its own.
__global__ void halves(int* out) {
  const int i = threadIdx.x;
  volatile int* flag = out + 32;
  if (i < 16) {
    while (*flag == 0) {
    }
    out[i] = __shfl_xor_sync(0xffffffffu, i, 1);  // before here
  } else {
    *flag = 1;
    out[i] = __ballot_sync(0xffffffffu, i % 4 == 0);  // before here
  }
}
