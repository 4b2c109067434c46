// launch: --check=all --block 64 --arg zeros:i32:32
// One warp fills a buffer that another empties, with barriers that the first does not wait at.
__global__ void hand_over(int* out) {
  __shared__ int buffer[32];
  const int lane = threadIdx.x % 32;
  int sum = 0;
  for (int turn = 0; turn < 4; ++turn) {
    if (threadIdx.x < 32) {
      asm volatile("bar.sync 2, 64;" ::: "memory");
      buffer[lane] = lane + turn;
      asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
      asm volatile("bar.arrive 2, 64;" ::: "memory");
      asm volatile("bar.sync 1, 64;" ::: "memory");
      sum += buffer[31 - lane];
    }
  }
  __syncthreads();
  if (threadIdx.x >= 32) out[lane] = sum;
}
