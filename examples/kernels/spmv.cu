// y = A x for a sparse matrix in CSR form: a thread a row, a warp a row, and ELLPACK.
extern "C" __global__ void spmv_csr_scalar(int rows, const int* offsets, const int* columns, const float* values,
                                           const float* x, float* y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = offsets[row]; i < offsets[row + 1]; ++i) sum += values[i] * __ldg(&x[columns[i]]);
  y[row] = sum;
}

extern "C" __global__ void spmv_csr_vector(int rows, const int* offsets, const int* columns, const float* values,
                                           const float* x, float* y) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (row >= rows) return;
  float sum = 0;
  for (int i = offsets[row] + lane; i < offsets[row + 1]; i += 32) sum += values[i] * x[columns[i]];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) y[row] = sum;
}

extern "C" __global__ void spmv_ell(int rows, int width, const int* columns, const float* values, const float* x, float* y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = 0; i < width; ++i) {
    int column = columns[i * rows + row];
    if (column >= 0) sum += values[i * rows + row] * x[column];
  }
  y[row] = sum;
}
