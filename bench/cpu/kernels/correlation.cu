// Correlation of the columns of a matrix of n rows and m columns: means, deviations, normalisation, and then a thread
// for each row of the triangular result.
extern "C" __global__ void mean(int n, int m, const float* data, float* average) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= m) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += data[i * m + j];
  average[j] = sum / n;
}

extern "C" __global__ void deviation(int n, int m, const float* data, const float* average, float* spread) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= m) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += (data[i * m + j] - average[j]) * (data[i * m + j] - average[j]);
  float value = sqrtf(sum / n);
  spread[j] = value <= 0.005f ? 1.0f : value;
}

extern "C" __global__ void normalise(int n, int m, const float* data, const float* average, const float* spread,
                                     float* normal) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= m) return;
  normal[i * m + j] = (data[i * m + j] - average[j]) / (sqrtf((float)n) * spread[j]);
}

extern "C" __global__ void correlation(int n, int m, const float* normal, float* result) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= m) return;
  result[j * m + j] = 1;
  for (int other = j + 1; other < m; ++other) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += normal[i * m + j] * normal[i * m + other];
    result[j * m + other] = sum;
    result[other * m + j] = sum;
  }
}
