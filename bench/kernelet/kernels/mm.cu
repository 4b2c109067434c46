// MM: a product of dense matrices, in tiles of 16 x 16 that go through shared memory. c (m x n) = a (m x k) * b (k x n).
constexpr int tile = 16;
extern "C" __global__ void mm(const float* a, const float* b, float* c, int n, int k) {
  __shared__ float left[tile][tile], right[tile][tile];
  const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int step = 0; step < k; step += tile) {
    left[threadIdx.y][threadIdx.x] = a[row * k + step + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(step + threadIdx.y) * n + column];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < tile; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
