// Correlation of the columns of a matrix of n rows and m columns: means, deviations, normalisation, and then a work
// item for each row of the triangular result.
kernel void mean(int n, int m, global const float* data, global float* average) {
  int j = get_global_id(0);
  if (j >= m) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += data[i * m + j];
  average[j] = sum / n;
}

kernel void deviation(int n, int m, global const float* data, global const float* average, global float* spread) {
  int j = get_global_id(0);
  if (j >= m) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += (data[i * m + j] - average[j]) * (data[i * m + j] - average[j]);
  float value = sqrt(sum / n);
  spread[j] = value <= 0.005f ? 1.0f : value;
}

kernel void normalise(int n, int m, global const float* data, global const float* average, global const float* spread,
                      global float* normal) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i >= n || j >= m) return;
  normal[i * m + j] = (data[i * m + j] - average[j]) / (sqrt((float)n) * spread[j]);
}

kernel void correlation(int n, int m, global const float* normal, global float* result) {
  int j = get_global_id(0);
  if (j >= m) return;
  result[j * m + j] = 1;
  for (int other = j + 1; other < m; ++other) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += normal[i * m + j] * normal[i * m + other];
    result[j * m + other] = sum;
    result[other * m + j] = sum;
  }
}
