// launch: --check=sync --block 128 --arg zeros:i32:128
__global__ void count(int* out) {
  const int i = threadIdx.x;
  int found = 0;
  if (i < 64)
    asm volatile("{.reg .pred p; setp.gt.s32 p, %1, 9; barrier.red.popc.aligned.u32 %0, 1, 64, p;}"
                 : "=r"(found) : "r"(i) : "memory");
  out[i] = found;
}
