extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void fill_blocks(int* out) {
  if (threadIdx.x == 0) out[blockIdx.x] = blockIdx.x + 1;
}

extern "C" __global__ void out_of_bounds(int* out, int index) { out[index] = 1; }

extern "C" __global__ void reverse(const int* in, int* out) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
