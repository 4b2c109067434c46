// More of PolyBench's shapes: syrk, syr2k, covariance and correlation.
extern "C" __global__ void syrk(int n, int m, float alpha, float beta, const float* a, float* c) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  float sum = c[i * n + j] * beta;
  for (int k = 0; k < m; ++k) sum += alpha * a[i * m + k] * a[j * m + k];
  c[i * n + j] = sum;
}
extern "C" __global__ void syr2k(int n, int m, float alpha, float beta, const float* a, const float* b, float* c) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  float sum = c[i * n + j] * beta;
  for (int k = 0; k < m; ++k) sum += alpha * a[i * m + k] * b[j * m + k] + alpha * b[i * m + k] * a[j * m + k];
  c[i * n + j] = sum;
}
extern "C" __global__ void column_means(int rows, int columns, const float* data, float* mean, float* deviation) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns) return;
  float sum = 0, square = 0;
  for (int i = 0; i < rows; ++i) sum += data[i * columns + j];
  mean[j] = sum / rows;
  for (int i = 0; i < rows; ++i) {
    float d = data[i * columns + j] - mean[j];
    square += d * d;
  }
  float s = sqrtf(square / rows);
  deviation[j] = s <= 0.1f ? 1.0f : s;
}
extern "C" __global__ void centre_columns(int rows, int columns, const float* mean, const float* deviation, float* data) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < rows && j < columns) {
    data[i * columns + j] = (data[i * columns + j] - mean[j]) / (sqrtf(static_cast<float>(rows)) * deviation[j]);
  }
}
extern "C" __global__ void correlate(int rows, int columns, const float* data, float* symmetric) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns) return;
  for (int k = j; k < columns; ++k) {
    float sum = 0;
    for (int i = 0; i < rows; ++i) sum += data[i * columns + j] * data[i * columns + k];
    symmetric[j * columns + k] = sum;
    symmetric[k * columns + j] = sum;
  }
}
