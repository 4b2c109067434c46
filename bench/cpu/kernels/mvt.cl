// x1 += A y1 and x2 += A^T y2; sums are kept in memory, as PolyBench keeps them.
kernel void mvt_rows(int n, global const float* a, global const float* y1, global float* x1) {
  int i = get_global_id(0);
  if (i >= n) return;
  for (int j = 0; j < n; ++j) x1[i] += a[i * n + j] * y1[j];
}

kernel void mvt_columns(int n, global const float* a, global const float* y2, global float* x2) {
  int i = get_global_id(0);
  if (i >= n) return;
  for (int j = 0; j < n; ++j) x2[i] += a[j * n + i] * y2[j];
}
