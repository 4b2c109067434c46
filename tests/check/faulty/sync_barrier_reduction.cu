// launch: --check=sync --block 128 --arg zeros:i32:128
// expect: come to an aligned barrier together, but lane 31 has left the kernel or runs other code
__global__ void count(int* out) {
  const int i = threadIdx.x;
  int found = 0;
  if (i % 32 != 31)
    asm volatile("{.reg .pred p; setp.gt.s32 p, %1, 9; barrier.red.popc.aligned.u32 %0, 1, 64, p;}"  // here
                 : "=r"(found) : "r"(i) : "memory");  // here
  out[i] = found;
}
