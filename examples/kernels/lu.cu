// Steps of LU factorisation without pivoting, and of Gram and Schmidt's orthogonalisation.
extern "C" __global__ void lu_divide(int n, int k, float* a) {
  int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i * n + k] /= a[k * n + k];
}
extern "C" __global__ void lu_update(int n, int k, float* a) {
  int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x, i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) a[i * n + j] -= a[i * n + k] * a[k * n + j];
}
extern "C" __global__ void gram_schmidt_norm(int rows, int columns, int k, const float* a, float* r) {
  if (blockIdx.x || threadIdx.x) return;
  float sum = 0;
  for (int i = 0; i < rows; ++i) sum += a[i * columns + k] * a[i * columns + k];
  r[k * columns + k] = sqrtf(sum);
}
extern "C" __global__ void gram_schmidt_project(int rows, int columns, int k, float* a, float* r, const float* q) {
  int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns) return;
  float sum = 0;
  for (int i = 0; i < rows; ++i) sum += q[i * columns + k] * a[i * columns + j];
  r[k * columns + j] = sum;
  for (int i = 0; i < rows; ++i) a[i * columns + j] -= q[i * columns + k] * sum;
}
