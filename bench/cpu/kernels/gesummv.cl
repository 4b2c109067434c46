// y = alpha A x + beta B x, a work item a row; sums are kept in memory, as PolyBench keeps them.
kernel void gesummv(int n, float alpha, float beta, global const float* a, global const float* b, global const float* x,
                    global float* product, global float* y) {
  int i = get_global_id(0);
  if (i >= n) return;
  product[i] = 0;
  y[i] = 0;
  for (int j = 0; j < n; ++j) {
    product[i] += a[i * n + j] * x[j];
    y[i] += b[i * n + j] * x[j];
  }
  y[i] = alpha * product[i] + beta * y[i];
}
