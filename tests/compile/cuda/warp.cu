// Operations within a warp and a block.

template <typename T>
__device__ void shuffles(T* p) {
  const unsigned int all = 0xffffffffu;
  p[0] = __shfl_sync(all, p[1], 3) + __shfl_up_sync(all, p[2], 1) + __shfl_down_sync(all, p[3], 2) + __shfl_xor_sync(all, p[4], 4);
  p[1] = __shfl_sync(all, p[1], 3, 8) + __shfl_up_sync(all, p[2], 1, 16) + __shfl_down_sync(all, p[3], 2, 4);
  p[2] = __shfl(p[1], 3) + __shfl_up(p[2], 1) + __shfl_down(p[3], 2) + __shfl_xor(p[4], 4);
  int same;
  p[3] = __match_any_sync(all, p[5]) + __match_all_sync(all, p[6], &same) + same;
}

extern "C" __global__ void all_shuffles(int* i, unsigned int* u, long* l, unsigned long* ul, long long* ll,
                                        unsigned long long* ull, float* f, double* d) {
  shuffles(i);
  shuffles(u);
  shuffles(l);
  shuffles(ul);
  shuffles(ll);
  shuffles(ull);
  shuffles(f);
  shuffles(d);
}

extern "C" __global__ void votes(int* i, unsigned int* u) {
  const unsigned int all = 0xffffffffu;
  i[0] = __all_sync(all, i[1]) + __any_sync(all, i[2]) + __uni_sync(all, i[3]) + __ballot_sync(all, i[4]);
  i[5] = __all(i[1]) + __any(i[2]) + __ballot(i[3]) + __activemask();
  __syncwarp();
  __syncwarp(0xffffu);
#if __CUDA_ARCH__ >= 800
  i[6] = __reduce_add_sync(all, i[7]) + __reduce_min_sync(all, i[8]) + __reduce_max_sync(all, i[9]);
  u[0] = __reduce_add_sync(all, u[1]) + __reduce_min_sync(all, u[2]) + __reduce_max_sync(all, u[3]);
  u[4] = __reduce_and_sync(all, u[5]) + __reduce_or_sync(all, u[6]) + __reduce_xor_sync(all, u[7]);
#endif
  u[8] = __lanemask_lt() + __lanemask_le() + __lanemask_eq() + __lanemask_ge() + __lanemask_gt() + __lane_id();
}

extern "C" __global__ void barriers(int* i) {
  __syncthreads();
  i[0] = __syncthreads_count(i[1]) + __syncthreads_and(i[2]) + __syncthreads_or(i[3]);
  __threadfence_block();
  __threadfence();
  __threadfence_system();
  __nanosleep(100);
  i[threadIdx.z] = warpSize + gridDim.x + gridDim.y + gridDim.z + blockDim.y + blockIdx.z;
}
