// launch: --check=sync --block 128 --arg zeros:i32:128
// Whole warps at barriers that others do not come to; parts of warps at barriers that are not aligned; a last warp that
// is shorter.
__global__ void half(int* out) {
  const int i = threadIdx.x;
  out[i] = i;
  if (i < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
  if (i >= 96) {
    asm volatile("bar.arrive 2, 64;" ::: "memory");
  } else if (i >= 64) {
    asm volatile("bar.sync 2, 64;" ::: "memory");
  }
  if (i % 32 < 16) asm volatile("barrier.sync 3, 64;" ::: "memory");
  out[i] += 1;
}
