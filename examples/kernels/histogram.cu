// Histograms of bytes: atomics on global memory, and on a copy in shared memory.
extern "C" __global__ void histogram_global(int n, const unsigned char* data, unsigned int* bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[data[i]], 1u);
}

extern "C" __global__ void histogram_shared(int n, const unsigned char* data, unsigned int* bins) {
  __shared__ unsigned int local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (local[i]) atomicAdd(&bins[i], local[i]);
}

// Lanes with the same value add together.
extern "C" __global__ void histogram_matched(int n, const unsigned char* data, unsigned int* bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned int active = __activemask(), peers = __match_any_sync(active, static_cast<int>(data[i]));
    if (__ffs(peers) - 1 == static_cast<int>(threadIdx.x & 31)) atomicAdd(&bins[data[i]], __popc(peers));
  }
}
