// launch: --check=sync --block 32 --arg zeros:i32:32
// expect: names lanes 8 to 31
__global__ void meet(int* out) {
  if (threadIdx.x < 8) {
    out[threadIdx.x] = 1;
    __syncwarp();  // here
    out[threadIdx.x + 8] = out[threadIdx.x];
  }
}
