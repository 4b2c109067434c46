// C = A B for row-major matrices: one element a thread, tiles in shared memory, and 4 x 4 elements a thread in registers.
extern "C" __global__ void gemm_naive(int m, int n, int k, const float* a, const float* b, float* c) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

// Blocks of 16 x 16 threads.
extern "C" __global__ void gemm_tiled(int m, int n, int k, const float* a, const float* b, float* c) {
  constexpr int tile = 16;
  __shared__ float left[tile][tile], right[tile][tile];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * tile + ty, column = blockIdx.x * tile + tx;
  float sum = 0;
  for (int start = 0; start < k; start += tile) {
    left[ty][tx] = row < m && start + tx < k ? a[row * k + start + tx] : 0.0f;
    right[ty][tx] = start + ty < k && column < n ? b[(start + ty) * n + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < tile; ++i) sum += left[ty][i] * right[i][tx];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

// Blocks of 16 x 16 threads compute 64 x 64 elements; m, n multiples of 64 and k of 16.
extern "C" __global__ void __launch_bounds__(256) gemm_registers(int m, int n, int k, const float* __restrict__ a,
                                                                  const float* __restrict__ b, float* __restrict__ c) {
  constexpr int tile = 64, depth = 16, per_thread = 4;
  __shared__ float left[depth][tile + 1], right[depth][tile];
  int tx = threadIdx.x, ty = threadIdx.y, thread = ty * 16 + tx;
  int row0 = blockIdx.y * tile, column0 = blockIdx.x * tile;
  float sum[per_thread][per_thread] = {};
  for (int start = 0; start < k; start += depth) {
    for (int i = thread; i < tile * depth; i += 256) {
      left[i % depth][i / depth] = a[(row0 + i / depth) * k + start + i % depth];
      right[i / tile][i % tile] = b[(start + i / tile) * n + column0 + i % tile];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < depth; ++i) {
      float x[per_thread], y[per_thread];
#pragma unroll
      for (int j = 0; j < per_thread; ++j) {
        x[j] = left[i][ty + 16 * j];
        y[j] = right[i][tx + 16 * j];
      }
#pragma unroll
      for (int u = 0; u < per_thread; ++u)
#pragma unroll
        for (int v = 0; v < per_thread; ++v) sum[u][v] += x[u] * y[v];
    }
    __syncthreads();
  }
  for (int u = 0; u < per_thread; ++u)
    for (int v = 0; v < per_thread; ++v) c[(row0 + ty + 16 * u) * n + column0 + tx + 16 * v] = sum[u][v];
}
