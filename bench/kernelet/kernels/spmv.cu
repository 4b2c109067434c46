// SPMV: a sparse matrix in ELLPACK's format (columns of the padded rows, so that neighbours load neighbours) times a
// vector that caches hold.
extern "C" __global__ void spmv(const unsigned* columns, const float* values, const float* x, float* y, int rows,
                                int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = 0; k < width; ++k) sum += values[k * rows + row] * x[columns[k * rows + row]];
  y[row] = sum;
}
