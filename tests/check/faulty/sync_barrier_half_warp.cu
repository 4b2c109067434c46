// launch: --check=sync --block 128 --arg zeros:i32:128
// expect: come to an aligned barrier together, but lanes 16 to 31 have left the kernel or run other code
__global__ void half(int* out) {
  const int i = threadIdx.x;
  out[i] = i;
  if (i % 32 < 16) asm volatile("bar.sync 1, 64;" ::: "memory");  // here
  out[i] += 1;
}
