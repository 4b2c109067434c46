// launch: --check=memory --block 32 --arg zeros:i32:1000
// expect: write of 4 bytes
__global__ void fill(int* x) {
#pragma unroll 1
  for (int i = threadIdx.x; i <= 1000; i += 32) x[i] = 1;  // here
}
