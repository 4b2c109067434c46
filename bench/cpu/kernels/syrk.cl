// C = alpha A A^T + beta C, one element a work item; A is n x m, row-major.
kernel void syrk(int n, int m, float alpha, float beta, global const float* a, global float* c) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i >= n || j >= n) return;
  float sum = beta * c[i * n + j];
  for (int k = 0; k < m; ++k) sum += alpha * a[i * m + k] * a[j * m + k];
  c[i * n + j] = sum;
}
