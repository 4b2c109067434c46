// launch: --check=race --block 128 --arg zeros:i32:128
__global__ void groups(int* out) {
  __shared__ int s[128];
  const int i = threadIdx.x, group = i / 64;
  s[i] = i;
  asm volatile("bar.sync %0, 64;" ::"r"(group + 1) : "memory");
  out[i] = s[i ^ 63];
}
