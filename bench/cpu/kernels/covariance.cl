// Covariance of the columns of a matrix of n rows and m columns: means, centring, and then a work item for each row of
// the triangular result.
kernel void mean(int n, int m, global const float* data, global float* average) {
  int j = get_global_id(0);
  if (j >= m) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += data[i * m + j];
  average[j] = sum / n;
}

kernel void centre(int n, int m, global const float* data, global const float* average, global float* centred) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i < n && j < m) centred[i * m + j] = data[i * m + j] - average[j];
}

kernel void covariance(int n, int m, global const float* centred, global float* result) {
  int j = get_global_id(0);
  if (j >= m) return;
  for (int other = j; other < m; ++other) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += centred[i * m + j] * centred[i * m + other];
    sum /= n - 1;
    result[j * m + other] = sum;
    result[other * m + j] = sum;
  }
}
