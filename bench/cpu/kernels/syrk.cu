// C = alpha A A^T + beta C, one element a thread; A is n x m, row-major.
extern "C" __global__ void syrk(int n, int m, float alpha, float beta, const float* a, float* c) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  float sum = beta * c[i * n + j];
  for (int k = 0; k < m; ++k) sum += alpha * a[i * m + k] * a[j * m + k];
  c[i * n + j] = sum;
}
