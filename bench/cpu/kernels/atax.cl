// y = A^T (A x), a work item a row and then a work item a column; sums are kept in memory, as PolyBench keeps them.
kernel void atax_rows(int rows, int columns, global const float* a, global const float* x, global float* product) {
  int i = get_global_id(0);
  if (i >= rows) return;
  product[i] = 0;
  for (int j = 0; j < columns; ++j) product[i] += a[i * columns + j] * x[j];
}

kernel void atax_columns(int rows, int columns, global const float* a, global const float* product, global float* y) {
  int j = get_global_id(0);
  if (j >= columns) return;
  y[j] = 0;
  for (int i = 0; i < rows; ++i) y[j] += a[i * columns + j] * product[i];
}
