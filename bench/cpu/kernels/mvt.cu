// x1 += A y1 and x2 += A^T y2; sums are kept in memory, as PolyBench keeps them.
extern "C" __global__ void mvt_rows(int n, const float* a, const float* y1, float* x1) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int j = 0; j < n; ++j) x1[i] += a[i * n + j] * y1[j];
}

extern "C" __global__ void mvt_columns(int n, const float* a, const float* y2, float* x2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int j = 0; j < n; ++j) x2[i] += a[j * n + i] * y2[j];
}
