// SPMV: a sparse matrix in ELLPACK's format (columns of the padded rows, so that neighbours load neighbours) times
// vectors of `size` places, one after the other.
extern "C" __global__ void spmv(const unsigned* columns, const float* values, const float* x, float* y, int rows,
                                int width, int size) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = at % rows;
  const float* const vector = x + at / rows * size;
  float sum = 0;
  for (int k = 0; k < width; ++k) sum += values[k * rows + row] * vector[columns[k * rows + row]];
  y[at] = sum;
}
