// launch: --check=memory --block 32 --arg zeros:i32:1000
// expect: write of 4 bytes
__global__ void fill(int* x) {
  const int of_lane = threadIdx.x * threadIdx.x % 29;
#pragma unroll 1
  for (int i = 30; i < 37; ++i) x[of_lane * i] = 1;  // here
}
