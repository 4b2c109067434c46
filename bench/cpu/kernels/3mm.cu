// G = (A B) (C D) in three launches of the same kernel, one element a thread; square row-major matrices.
extern "C" __global__ void multiply(int n, const float* a, const float* b, float* c) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
