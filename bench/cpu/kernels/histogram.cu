// How often each byte occurs: a histogram for each block in shared memory, then added to the one for all. Blocks of
// 256.
extern "C" __global__ void clear(unsigned int* bins) { bins[threadIdx.x] = 0; }

extern "C" __global__ void histogram(int n, const unsigned char* data, unsigned int* bins) {
  __shared__ unsigned int own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&own[data[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
