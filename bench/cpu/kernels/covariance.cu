// Covariance of the columns of a matrix of n rows and m columns: means, centring, and then a thread for each row of
// the triangular result.
extern "C" __global__ void mean(int n, int m, const float* data, float* average) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= m) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += data[i * m + j];
  average[j] = sum / n;
}

extern "C" __global__ void centre(int n, int m, const float* data, const float* average, float* centred) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < m) centred[i * m + j] = data[i * m + j] - average[j];
}

extern "C" __global__ void covariance(int n, int m, const float* centred, float* result) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= m) return;
  for (int other = j; other < m; ++other) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += centred[i * m + j] * centred[i * m + other];
    sum /= n - 1;
    result[j * m + other] = sum;
    result[other * m + j] = sum;
  }
}
