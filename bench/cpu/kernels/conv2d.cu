// A convolution with nine fixed weights, one point a thread.
extern "C" __global__ void conv2d(int rows, int columns, const float* in, float* out) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= rows - 1 || j >= columns - 1) return;
  out[i * columns + j] =
      0.2f * in[(i - 1) * columns + j - 1] - 0.3f * in[(i - 1) * columns + j] + 0.4f * in[(i - 1) * columns + j + 1] +
      0.5f * in[i * columns + j - 1] + 0.6f * in[i * columns + j] + 0.7f * in[i * columns + j + 1] -
      0.8f * in[(i + 1) * columns + j - 1] - 0.9f * in[(i + 1) * columns + j] + 0.1f * in[(i + 1) * columns + j + 1];
}
