// y = A x for a sparse matrix in compressed rows, a work item a row.
kernel void spmv(int rows, global const int* restrict offsets, global const int* restrict columns,
                 global const float* restrict values, global const float* restrict x, global float* restrict y) {
  int row = get_global_id(0);
  if (row >= rows) return;
  float sum = 0;
  for (int i = offsets[row]; i < offsets[row + 1]; ++i) sum += values[i] * x[columns[i]];
  y[row] = sum;
}
