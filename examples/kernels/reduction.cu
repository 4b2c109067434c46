// Sums: a tree in shared memory, shuffles in a warp, cooperative groups, and the old warp-synchronous style.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

extern "C" __global__ void reduce_shared(int n, const float* in, float* out) {
  extern __shared__ float partial[];
  int thread = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + thread; i < n; i += blockDim.x * gridDim.x) sum += in[i];
  partial[thread] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half) partial[thread] += partial[thread + half];
    __syncthreads();
  }
  if (thread == 0) out[blockIdx.x] = partial[0];
}

__device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffffu, v, offset);
  return v;
}

extern "C" __global__ void reduce_shuffle(int n, const float* in, float* out) {
  __shared__ float partial[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
  sum = warp_sum(sum);
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = warp_sum(lane < blockDim.x / 32 ? partial[lane] : 0.0f);
    if (lane == 0) atomicAdd(out, sum);
  }
}

extern "C" __global__ void reduce_groups(int n, const int* in, int* out) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  int best = -2147483647;
  for (int i = blockIdx.x * blockDim.x + block.thread_rank(); i < n; i += gridDim.x * blockDim.x) best = max(best, in[i]);
  best = cg::reduce(tile, best, cg::greater<int>());
  if (tile.thread_rank() == 0) atomicMax(out, best);
}

// As programs before Volta wrote it: the last warp without barriers, through volatile. Blocks of 64 threads or more.
extern "C" __global__ void reduce_warp_synchronous(int n, const float* in, float* out) {
  extern __shared__ float partial[];
  int thread = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + thread; i < n; i += blockDim.x * gridDim.x) sum += in[i];
  partial[thread] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 32; half /= 2) {
    if (thread < half) partial[thread] += partial[thread + half];
    __syncthreads();
  }
  if (thread < 32) {
    volatile float* p = partial;
    for (int half = 32; half > 0; half /= 2) {
      float other = p[thread + half];
      __syncwarp();
      p[thread] = p[thread] + other;
      __syncwarp();
    }
  }
  if (thread == 0) out[blockIdx.x] = partial[0];
}

// The whole grid in one launch: the last block to finish adds up.
__device__ unsigned int blocks_done = 0;
extern "C" __global__ void reduce_last_block(int n, const float* in, float* partial, float* out) {
  __shared__ float warps[32];
  __shared__ bool last;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int i = 0; i < blockDim.x / 32; ++i) total += warps[i];
    partial[blockIdx.x] = total;
    __threadfence();
    last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float total = 0;
    for (int i = 0; i < gridDim.x; ++i) total += reinterpret_cast<volatile float*>(partial)[i];
    *out = total;
  }
}
