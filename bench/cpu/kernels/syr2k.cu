// C = alpha (A B^T + B A^T) + beta C, one element a thread; A and B are n x m, row-major.
extern "C" __global__ void syr2k(int n, int m, float alpha, float beta, const float* a, const float* b, float* c) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  float sum = beta * c[i * n + j];
  for (int k = 0; k < m; ++k) sum += alpha * a[i * m + k] * b[j * m + k] + alpha * b[i * m + k] * a[j * m + k];
  c[i * n + j] = sum;
}
