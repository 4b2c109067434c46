// launch: --check=sync --block 128 --arg zeros:i32:128
// expect: at different operations
// Halves of each warp are at two barriers, each of which is complete.
__global__ void halves(int* out) {
  const int i = threadIdx.x;
  if (i % 32 < 16) {
    out[i] = 1;
    asm volatile("bar.sync 1, 64;" ::: "memory");  // before here
  } else {
    out[i] = 2;
    asm volatile("bar.sync 2, 64;" ::: "memory");  // before here
    out[i] += 3;
  }
}
