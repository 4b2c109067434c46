// launch: --check=sync --block 64 --arg zeros:i32:64
// expect: deadlock
__global__ void half(int* out) {
  const int i = threadIdx.x;
  if (i < 32) {
    __syncthreads();  // here
  } else {
    asm volatile("bar.sync 1;" ::: "memory");
  }
  out[i] = i;
}
