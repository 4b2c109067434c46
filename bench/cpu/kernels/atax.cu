// y = A^T (A x), a thread a row and then a thread a column; sums are kept in memory, as PolyBench keeps them.
extern "C" __global__ void atax_rows(int rows, int columns, const float* a, const float* x, float* product) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  product[i] = 0;
  for (int j = 0; j < columns; ++j) product[i] += a[i * columns + j] * x[j];
}

extern "C" __global__ void atax_columns(int rows, int columns, const float* a, const float* product, float* y) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns) return;
  y[j] = 0;
  for (int i = 0; i < rows; ++i) y[j] += a[i * columns + j] * product[i];
}
