// One step of a two-dimensional electromagnetic field in finite differences: three launches, one point a thread.
extern "C" __global__ void step_ey(int rows, int columns, float source, float* ey, const float* hz) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= rows || j >= columns) return;
  if (i == 0) {
    ey[i * columns + j] = source;
  } else {
    ey[i * columns + j] = ey[i * columns + j] - 0.5f * (hz[i * columns + j] - hz[(i - 1) * columns + j]);
  }
}

extern "C" __global__ void step_ex(int rows, int columns, float* ex, const float* hz) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= rows || j >= columns || j == 0) return;
  ex[i * columns + j] = ex[i * columns + j] - 0.5f * (hz[i * columns + j] - hz[i * columns + j - 1]);
}

extern "C" __global__ void step_hz(int rows, int columns, const float* ex, const float* ey, float* hz) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= rows - 1 || j >= columns - 1) return;
  hz[i * columns + j] = hz[i * columns + j] - 0.7f * (ex[i * columns + j + 1] - ex[i * columns + j] +
                                                      ey[(i + 1) * columns + j] - ey[i * columns + j]);
}
