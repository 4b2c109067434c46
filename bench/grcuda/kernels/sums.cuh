// Sums of a block, shared by the kernels of this folder. Blocks are one-dimensional, of whole warps.
#pragma once

// The sum of every thread's value, in thread 0.
__device__ inline double block_sum(double value) {
  __shared__ double of_warps[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
  if (lane == 0) of_warps[warp] = value;
  __syncthreads();
  if (warp == 0) {
    value = lane < blockDim.x / 32 ? of_warps[lane] : 0.0;
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
  }
  __syncthreads();
  return value;
}
