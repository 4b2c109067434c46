// C = A B through tiles of 16 x 16 in shared memory; square matrices whose width is a multiple of 16.
extern "C" __global__ void gemm_tiled(int n, const float* a, const float* b, float* c) {
  __shared__ float left[16][16];
  __shared__ float right[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int column = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int start = 0; start < n; start += 16) {
    left[ty][tx] = a[row * n + start + tx];
    right[ty][tx] = b[(start + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += left[ty][k] * right[k][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
