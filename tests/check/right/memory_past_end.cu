// launch: --check=memory --block 65 --arg zeros:i32:64
__global__ void fill(int* x) {
  if (threadIdx.x < 64) x[threadIdx.x] = 1;
}
