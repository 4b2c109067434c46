// launch: --check=sync --block 128 --arg zeros:i32:128
// Each warp gives one number to its aligned barriers; lanes may give several to one that is not aligned.
__global__ void numbers(int* out) {
  const int i = threadIdx.x;
  out[i] = i;
  for (int turn = 0; turn < 3; ++turn) {
    asm volatile("bar.sync %0, 64;" ::"r"(i / 64 + turn + 1) : "memory");
    asm volatile("barrier.sync %0, 64;" ::"r"(i % 2 + 6) : "memory");
  }
  out[i] += 1;
}
