// A = Q R by Gram and Schmidt, three launches a column: its length by one thread, the unit vector, and the
// projections, a thread a column.
extern "C" __global__ void column_length(int rows, int columns, int k, const float* a, float* r) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread != 0) return;
  float sum = 0;
  for (int i = 0; i < rows; ++i) sum += a[i * columns + k] * a[i * columns + k];
  r[k * columns + k] = sqrtf(sum);
}

extern "C" __global__ void divide(int rows, int columns, int k, const float* a, const float* r, float* q) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) q[i * columns + k] = a[i * columns + k] / r[k * columns + k];
}

extern "C" __global__ void project(int rows, int columns, int k, float* a, float* r, const float* q) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j <= k || j >= columns) return;
  float sum = 0;
  for (int i = 0; i < rows; ++i) sum += q[i * columns + k] * a[i * columns + j];
  r[k * columns + j] = sum;
  for (int i = 0; i < rows; ++i) a[i * columns + j] -= q[i * columns + k] * sum;
}
