// A = Q R by Gram and Schmidt, three launches a column: its length by one work item, the unit vector, and the
// projections, a work item a column.
kernel void column_length(int rows, int columns, int k, global const float* a, global float* r) {
  int thread = get_global_id(0);
  if (thread != 0) return;
  float sum = 0;
  for (int i = 0; i < rows; ++i) sum += a[i * columns + k] * a[i * columns + k];
  r[k * columns + k] = sqrt(sum);
}

kernel void divide(int rows, int columns, int k, global const float* a, global const float* r, global float* q) {
  int i = get_global_id(0);
  if (i < rows) q[i * columns + k] = a[i * columns + k] / r[k * columns + k];
}

kernel void project(int rows, int columns, int k, global float* a, global float* r, global const float* q) {
  int j = get_global_id(0);
  if (j <= k || j >= columns) return;
  float sum = 0;
  for (int i = 0; i < rows; ++i) sum += q[i * columns + k] * a[i * columns + j];
  r[k * columns + j] = sum;
  for (int i = 0; i < rows; ++i) a[i * columns + j] -= q[i * columns + k] * sum;
}
