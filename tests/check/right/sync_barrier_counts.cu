// launch: --check=sync --block 128 --arg zeros:i32:128
__global__ void counts(int* out) {
  const int i = threadIdx.x;
  out[i] = i;
  if (i < 64) asm volatile("bar.sync 1, %0;" ::"r"(blockDim.x / 2) : "memory");
  asm volatile("bar.sync 2, %0;" ::"r"(blockDim.x) : "memory");
  out[i] += 1;
}
