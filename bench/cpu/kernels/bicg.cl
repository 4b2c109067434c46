// s = A^T r and q = A p, the kernels of a biconjugate gradient step; sums are kept in memory, as PolyBench keeps them.
kernel void bicg_columns(int rows, int columns, global const float* a, global const float* r, global float* s) {
  int j = get_global_id(0);
  if (j >= columns) return;
  s[j] = 0;
  for (int i = 0; i < rows; ++i) s[j] += a[i * columns + j] * r[i];
}

kernel void bicg_rows(int rows, int columns, global const float* a, global const float* p, global float* q) {
  int i = get_global_id(0);
  if (i >= rows) return;
  q[i] = 0;
  for (int j = 0; j < columns; ++j) q[i] += a[i * columns + j] * p[j];
}
