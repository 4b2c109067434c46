// Products of a matrix and a vector, in the shapes of PolyBench's mvt, atax, bicg and gesummv.
extern "C" __global__ void matrix_vector(int rows, int columns, const float* a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  float sum = 0;
  for (int j = 0; j < columns; ++j) sum += a[i * columns + j] * x[j];
  y[i] = sum;
}
extern "C" __global__ void matrix_vector_transposed(int rows, int columns, const float* a, const float* x, float* y) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns) return;
  float sum = 0;
  for (int i = 0; i < rows; ++i) sum += a[i * columns + j] * x[i];
  y[j] = sum;
}
extern "C" __global__ void matrix_vector_warp(int rows, int columns, const float* a, const float* x, float* y) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (i >= rows) return;
  float sum = 0;
  for (int j = lane; j < columns; j += 32) sum += a[i * columns + j] * x[j];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) y[i] = sum;
}
extern "C" __global__ void gesummv(int n, float alpha, float beta, const float* a, const float* b, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0, t = 0;
  for (int j = 0; j < n; ++j) {
    s += a[i * n + j] * x[j];
    t += b[i * n + j] * x[j];
  }
  y[i] = alpha * s + beta * t;
}
