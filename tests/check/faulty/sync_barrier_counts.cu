// launch: --check=sync --block 128 --arg zeros:i32:128
// expect: barrier 1 for 64 threads, and of thread (0, 0, 0) it is barrier 1 for 128 threads
__global__ void counts(int* out) {
  const int i = threadIdx.x;
  out[i] = i;
  asm volatile("bar.sync 1, %0;" ::"r"(i % 32 < 16 ? 128 : 64) : "memory");  // here
  out[i] += 1;
}
