// s = A^T r and q = A p, the kernels of a biconjugate gradient step; sums are kept in memory, as PolyBench keeps them.
extern "C" __global__ void bicg_columns(int rows, int columns, const float* a, const float* r, float* s) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns) return;
  s[j] = 0;
  for (int i = 0; i < rows; ++i) s[j] += a[i * columns + j] * r[i];
}

extern "C" __global__ void bicg_rows(int rows, int columns, const float* a, const float* p, float* q) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  q[i] = 0;
  for (int j = 0; j < columns; ++j) q[i] += a[i * columns + j] * p[j];
}
