// launch: --check=sync --block 64 --arg zeros:i32:64
// expect: different barriers
__global__ void branches(int* out) {
  if (threadIdx.x < 32) { out[0] = 1; __syncthreads(); } else { out[1] = 2; __syncthreads(); out[2] = 3; }  // before here
}
