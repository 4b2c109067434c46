// C = alpha A B + beta C, one element a work item; row-major m x k by k x n.
kernel void gemm(int m, int n, int k, float alpha, float beta, global const float* a, global const float* b,
                 global float* c) {
  int column = get_global_id(0), row = get_global_id(1);
  if (row >= m || column >= n) return;
  float sum = beta * c[row * n + column];
  for (int i = 0; i < k; ++i) sum += alpha * a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}
