// C = alpha (A B^T + B A^T) + beta C, one element a work item; A and B are n x m, row-major.
kernel void syr2k(int n, int m, float alpha, float beta, global const float* a, global const float* b,
                  global float* c) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i >= n || j >= n) return;
  float sum = beta * c[i * n + j];
  for (int k = 0; k < m; ++k) sum += alpha * a[i * m + k] * b[j * m + k] + alpha * b[i * m + k] * a[j * m + k];
  c[i * n + j] = sum;
}
