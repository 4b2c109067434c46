// C = alpha A B + beta C, one element a thread; row-major m x k by k x n.
extern "C" __global__ void gemm(int m, int n, int k, float alpha, float beta, const float* a, const float* b,
                                float* c) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = beta * c[row * n + column];
  for (int i = 0; i < k; ++i) sum += alpha * a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}
