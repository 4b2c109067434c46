// launch: --check=sync --block 128 --arg zeros:i32:128
// expect: the same numbers; here it is barrier 2 for 64 threads, and of thread (0, 0, 0) it is barrier 1 for 64 threads
__global__ void numbers(int* out) {
  const int i = threadIdx.x;
  out[i] = i;
  asm volatile("bar.sync %0, 64;" ::"r"(i % 2 + 1) : "memory");  // here
  out[i] += 1;
}
