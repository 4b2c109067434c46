// Warp and block operations.
#include <cstdio>
#include <cassert>
extern "C" __global__ void reduce(float* out, const float* in, int n) {
  __shared__ float partial[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}

extern "C" __global__ void votes(unsigned* out, const int* in) {
  int v = in[threadIdx.x];
  unsigned mask = __activemask();
  out[0] = __ballot_sync(mask, v > 3);
  out[1] = __any_sync(mask, v) + __all_sync(mask, v) + __shfl_sync(mask, v, 3) + __shfl_up_sync(mask, v, 1, 8);
#if __CUDA_ARCH__ >= 700
  out[2] = __match_any_sync(mask, v);
  int same;
  out[3] = __match_all_sync(mask, v, &same) + same;
  __nanosleep(100);
#endif
#if __CUDA_ARCH__ >= 800
  out[4] = __reduce_add_sync(mask, v) + __reduce_max_sync(mask, (unsigned)v);
#endif
  __syncwarp();
  out[5] = __syncthreads_count(v) + __syncthreads_or(v) + __syncthreads_and(v);
  out[6] = (unsigned)clock() + (unsigned)clock64();
}

extern "C" __global__ void talk(int n, double x) {
  printf("thread %d of %d: %f\n", threadIdx.x, n, x);
  assert(n > 3);
  int* p = (int*)malloc(16);
  if (p) free(p);
  if (n == 77) __trap();
}
