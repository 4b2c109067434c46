// launch: --check=sync --block 64 --arg zeros:i32:64
__global__ void branches(int* out) {
  if (threadIdx.x < 32) { out[0] = 1; } else { out[1] = 2; } __syncthreads(); if (threadIdx.x >= 32) { out[2] = 3; }
}
