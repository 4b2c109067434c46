// Layer normalisation with Welford's algorithm merged across lanes, and GELU.
struct Moments {
  float count, mean, square;
};
__device__ Moments merge(Moments a, Moments b) {
  float count = a.count + b.count;
  if (count == 0) return a;
  float delta = b.mean - a.mean;
  return {count, a.mean + delta * b.count / count, a.square + b.square + delta * delta * a.count * b.count / count};
}

// A warp a row.
extern "C" __global__ void layernorm(int rows, int columns, float epsilon, const float* in, const float* gain,
                                     const float* bias, float* out) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (row >= rows) return;
  Moments m{0, 0, 0};
  for (int i = lane; i < columns; i += 32) m = merge(m, {1, in[row * columns + i], 0});
  for (int d = 16; d > 0; d /= 2) {
    Moments other{__shfl_xor_sync(0xffffffffu, m.count, d), __shfl_xor_sync(0xffffffffu, m.mean, d),
                  __shfl_xor_sync(0xffffffffu, m.square, d)};
    m = merge(m, other);
  }
  float scale = rsqrtf(m.square / columns + epsilon);
  for (int i = lane; i < columns; i += 32) {
    out[row * columns + i] = (in[row * columns + i] - m.mean) * scale * gain[i] + bias[i];
  }
}

extern "C" __global__ void gelu(int n, const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  out[i] = 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
}
