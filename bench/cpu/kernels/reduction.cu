// The sum of n values: each thread adds up a stride, each block a tree in shared memory; blocks of 256 threads.
// Launched a second time with one block over the partial sums.
extern "C" __global__ void reduce(int n, const float* in, float* out) {
  __shared__ float partial[256];
  int thread = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + thread; i < n; i += blockDim.x * gridDim.x) sum += in[i];
  partial[thread] = sum;
  __syncthreads();
  for (int width = blockDim.x / 2; width > 0; width /= 2) {
    if (thread < width) partial[thread] += partial[thread + width];
    __syncthreads();
  }
  if (thread == 0) out[blockIdx.x] = partial[0];
}
