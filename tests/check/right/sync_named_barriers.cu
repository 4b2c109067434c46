// launch: --check=sync --block 128 --arg zeros:i32:128
// Producers and consumers, each of whole warps, that hand over two buffers.
__global__ void hand_over(int* out) {
  __shared__ int buffer[2][64];
  const int i = threadIdx.x % 64;
  int sum = 0;
  if (threadIdx.x < 64) {
    for (int turn = 0; turn < 6; ++turn) {
      asm volatile("bar.sync %0, 128;" ::"r"(3 + turn % 2) : "memory");
      buffer[turn % 2][i] = turn + i;
      asm volatile("bar.arrive %0, 128;" ::"r"(1 + turn % 2) : "memory");
    }
  } else {
    for (int turn = 0; turn < 2; ++turn) asm volatile("bar.arrive %0, 128;" ::"r"(3 + turn) : "memory");
    for (int turn = 0; turn < 6; ++turn) {
      asm volatile("bar.sync %0, 128;" ::"r"(1 + turn % 2) : "memory");
      sum += buffer[turn % 2][63 - i];
      if (turn < 4) asm volatile("bar.arrive %0, 128;" ::"r"(3 + turn % 2) : "memory");
    }
  }
  out[threadIdx.x] = sum;
}
