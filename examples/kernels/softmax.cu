// Softmax of each row: a block a row, maximum and sum by shuffles.
__device__ float block_reduce(float v, bool maximum) {
  __shared__ float warps[32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int d = 16; d > 0; d /= 2) {
    float other = __shfl_xor_sync(0xffffffffu, v, d);
    v = maximum ? fmaxf(v, other) : v + other;
  }
  __syncthreads();
  if (lane == 0) warps[warp] = v;
  __syncthreads();
  v = warps[0];
  for (int w = 1; w < blockDim.x / 32; ++w) v = maximum ? fmaxf(v, warps[w]) : v + warps[w];
  return v;
}

extern "C" __global__ void softmax(int columns, const float* in, float* out) {
  const float* row = in + static_cast<long>(blockIdx.x) * columns;
  float* result = out + static_cast<long>(blockIdx.x) * columns;
  float most = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) most = fmaxf(most, row[i]);
  most = block_reduce(most, true);
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(row[i] - most);
  sum = block_reduce(sum, false);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) result[i] = expf(row[i] - most) / sum;
}
