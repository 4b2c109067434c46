// launch: --check=memory --block 32 --arg zeros:i32:1000
__global__ void fill(int* x) {
#pragma unroll 1
  for (int i = threadIdx.x; i < 1000; i += 32) x[i] = 1;
}
