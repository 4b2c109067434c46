// launch: --check=sync --block 32 --arg zeros:i32:32
__global__ void meet(int* out) {
  if (threadIdx.x < 8) {
    out[threadIdx.x] = 1;
    __syncwarp(0xffu);
    out[threadIdx.x + 8] = out[threadIdx.x];
  }
}
