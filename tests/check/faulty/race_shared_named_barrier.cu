// launch: --check=race --block 128 --arg zeros:i32:128
// expect: race (read after write)
__global__ void groups(int* out) {
  __shared__ int s[128];
  const int i = threadIdx.x, group = i / 64;
  s[i] = i;  // before
  asm volatile("bar.sync %0, 64;" ::"r"(group + 1) : "memory");
  out[i] = s[(i + 64) % 128];  // here
}
