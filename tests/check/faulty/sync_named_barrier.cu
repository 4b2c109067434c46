// launch: --check=sync --block 64 --arg zeros:i32:64
// expect: at different operations
// Barriers for warps: each warp comes to one of them as a whole.
__global__ void halves(int* out) {
  const int i = threadIdx.x;
  if (i % 32 < 16) {
    out[i] = 1;
    asm volatile("bar.sync 1, 64;" ::: "memory");  // before here
  } else {
    out[i] = 2;
    asm volatile("bar.sync 1, 64;" ::: "memory");  // before here
    out[i] += 3;
  }
}
