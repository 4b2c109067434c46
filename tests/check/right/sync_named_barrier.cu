// launch: --check=sync --block 64 --arg zeros:i32:64
// Two warps meet at two places; the lanes of a warp do, at barriers that are not aligned.
__global__ void halves(int* out) {
  const int i = threadIdx.x;
  if (i < 32) {
    out[i] = 1;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    asm volatile("bar.arrive 2, 64;" ::: "memory");
  } else {
    out[i] = 2;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    asm volatile("bar.sync 2, 64;" ::: "memory");
  }
  if (i % 32 < 16) {
    out[i] += 1;
    asm volatile("barrier.sync 3, 64;" ::: "memory");
  } else {
    out[i] += 2;
    asm volatile("barrier.sync 3, 64;" ::: "memory");
    out[i] += 3;
  }
  if (i % 2 == 0) {
    asm volatile("barrier.sync 4;" ::: "memory");
  } else {
    out[i] += 4;
    asm volatile("barrier.sync 4;" ::: "memory");
  }
}
