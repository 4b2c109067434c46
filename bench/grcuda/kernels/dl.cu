// DL: a siamese convolutional network over two pictures. Pictures are square, a plane for each channel.
#include "sums.cuh"

// 3 x 3 weights for each pair of channels, every second pixel, no padding; what is negative becomes 0.
extern "C" __global__ void conv(const float* in, float* out, const float* weights, int side, int channels, int out_side,
                                int out_channels) {
  for (int k = blockIdx.z * blockDim.z + threadIdx.z; k < out_channels; k += gridDim.z * blockDim.z) {
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < out_side; y += gridDim.y * blockDim.y) {
      for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < out_side; x += gridDim.x * blockDim.x) {
        float sum = 0;
        for (int c = 0; c < channels; ++c) {
          const float* from = in + ((long long)c * side + 2 * y) * side + 2 * x;
          const float* weight = weights + (k * channels + c) * 9;
          for (int dy = 0; dy < 3; ++dy)
            for (int dx = 0; dx < 3; ++dx) sum += from[(long long)dy * side + dx] * weight[dy * 3 + dx];
        }
        out[((long long)k * out_side + y) * out_side + x] = fmaxf(sum, 0.0f);
      }
    }
  }
}

// The mean of size x size pixels.
extern "C" __global__ void pool(const float* in, float* out, int side, int out_side, int channels, int size) {
  for (int c = blockIdx.z * blockDim.z + threadIdx.z; c < channels; c += gridDim.z * blockDim.z) {
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < out_side; y += gridDim.y * blockDim.y) {
      for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < out_side; x += gridDim.x * blockDim.x) {
        const float* from = in + ((long long)c * side + y * size) * side + x * size;
        float sum = 0;
        for (int dy = 0; dy < size; ++dy)
          for (int dx = 0; dx < size; ++dx) sum += from[(long long)dy * side + dx];
        out[((long long)c * out_side + y) * out_side + x] = sum / (size * size);
      }
    }
  }
}

// Both, one behind the other; n values each.
extern "C" __global__ void concat(const float* x, const float* y, float* out, int n) {
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = x[i];
    out[n + i] = y[i];
  }
}

// Adds to *result.
extern "C" __global__ void dot(const float* x, const float* weights, double* result, int n) {
  double own = 0;
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    own += x[i] * weights[i];
  own = block_sum(own);
  if (threadIdx.x == 0) atomicAdd(result, own);
}
