// Convolutions: 3 x 3 in the shape of PolyBench, separable with coefficients in constant memory, three dimensions, and a
// layer of a neural network with channels.
extern "C" __global__ void conv2d(int width, int height, const float* in, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const float* p = in + y * width + x;
  out[y * width + x] = 0.2f * p[-width - 1] + 0.5f * p[-1] - 0.8f * p[width - 1] - 0.3f * p[-width] + 0.6f * p[0] -
                       0.9f * p[width] + 0.4f * p[-width + 1] + 0.7f * p[1] + 0.1f * p[width + 1];
}

__constant__ float taps[33];
extern "C" __global__ void conv_rows(int width, int height, int radius, const float* in, float* out) {
  extern __shared__ float row[];
  int x0 = blockIdx.x * blockDim.x, y = blockIdx.y;
  for (int i = threadIdx.x; i < blockDim.x + 2 * radius; i += blockDim.x) {
    int x = x0 + i - radius;
    row[i] = x >= 0 && x < width ? in[y * width + x] : 0.0f;
  }
  __syncthreads();
  int x = x0 + threadIdx.x;
  if (x >= width) return;
  float sum = 0;
  for (int i = -radius; i <= radius; ++i) sum += taps[radius + i] * row[threadIdx.x + radius + i];
  out[y * width + x] = sum;
}

extern "C" __global__ void conv3d(int nx, int ny, int nz, const float* in, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
  for (int z = 1; z < nz - 1; ++z) {
    float sum = 0;
    for (int k = -1; k <= 1; ++k)
      for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i) sum += (2 + i - j + 2 * k) * 0.1f * in[((z + k) * ny + y + j) * nx + x + i];
    out[(z * ny + y) * nx + x] = sum;
  }
}

// Images as channel, row, column; one output channel a block in z.
template <int K>
__device__ void layer(int channels, int width, int height, const float* in, const float* weights, const float* bias,
                      float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, o = blockIdx.z;
  if (x >= width || y >= height) return;
  float sum = bias[o];
  for (int c = 0; c < channels; ++c)
#pragma unroll
    for (int j = 0; j < K; ++j)
#pragma unroll
      for (int i = 0; i < K; ++i) {
        int u = x + i - K / 2, v = y + j - K / 2;
        if (u >= 0 && v >= 0 && u < width && v < height) {
          sum += weights[((o * channels + c) * K + j) * K + i] * in[(c * height + v) * width + u];
        }
      }
  out[(o * height + y) * width + x] = fmaxf(sum, 0.0f);
}
extern "C" __global__ void conv_layer_3x3(int channels, int width, int height, const float* in, const float* weights,
                                          const float* bias, float* out) {
  layer<3>(channels, width, height, in, weights, bias, out);
}
extern "C" __global__ void conv_layer_5x5(int channels, int width, int height, const float* in, const float* weights,
                                          const float* bias, float* out) {
  layer<5>(channels, width, height, in, weights, bias, out);
}
