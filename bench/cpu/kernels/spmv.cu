// y = A x for a sparse matrix in compressed rows, a thread a row.
extern "C" __global__ void spmv(int rows, const int* __restrict__ offsets, const int* __restrict__ columns,
                                const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = offsets[row]; i < offsets[row + 1]; ++i) sum += values[i] * x[columns[i]];
  y[row] = sum;
}
