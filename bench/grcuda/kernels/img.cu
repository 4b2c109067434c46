// IMG: a picture's subject sharpened before a blurred background. Pictures are rows of floats from 0 to 1; what lies
// outside of them is as the nearest pixel inside.

__device__ int inside(int i, int n) { return min(max(i, 0), n - 1); }

// With size x size weights, an odd number.
extern "C" __global__ void blur(const float* in, float* out, int rows, int columns, const float* weights, int size) {
  const int radius = size / 2;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < rows; y += gridDim.y * blockDim.y) {
    for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < columns; x += gridDim.x * blockDim.x) {
      float sum = 0;
      for (int dy = -radius; dy <= radius; ++dy) {
        const float* row = in + (long long)inside(y + dy, rows) * columns;
        for (int dx = -radius; dx <= radius; ++dx)
          sum += weights[(dy + radius) * size + dx + radius] * row[inside(x + dx, columns)];
      }
      out[(long long)y * columns + x] = sum;
    }
  }
}

extern "C" __global__ void sobel(const float* in, float* out, int rows, int columns) {
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < rows; y += gridDim.y * blockDim.y) {
    const float* above = in + (long long)inside(y - 1, rows) * columns;
    const float* here = in + (long long)y * columns;
    const float* below = in + (long long)inside(y + 1, rows) * columns;
    for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < columns; x += gridDim.x * blockDim.x) {
      const int left = inside(x - 1, columns), right = inside(x + 1, columns);
      const float gx = above[right] + 2 * here[right] + below[right] - above[left] - 2 * here[left] - below[left];
      const float gy = below[left] + 2 * below[x] + below[right] - above[left] - 2 * above[x] - above[right];
      out[(long long)y * columns + x] = sqrtf(gx * gx + gy * gy);
    }
  }
}

// Of values that are not negative, whose bits are in their order. *largest begins at 0.
extern "C" __global__ void maximum(const float* in, float* largest, int n) {
  float found = 0;
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    found = fmaxf(found, in[i]);
  for (int step = 16; step > 0; step /= 2) found = fmaxf(found, __shfl_down_sync(0xffffffffu, found, step));
  if (threadIdx.x % 32 == 0) atomicMax(reinterpret_cast<int*>(largest), __float_as_int(found));
}

// *smallest begins large.
extern "C" __global__ void minimum(const float* in, float* smallest, int n) {
  float found = 3e38f;
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    found = fminf(found, in[i]);
  for (int step = 16; step > 0; step /= 2) found = fminf(found, __shfl_down_sync(0xffffffffu, found, step));
  if (threadIdx.x % 32 == 0) atomicMin(reinterpret_cast<int*>(smallest), __float_as_int(found));
}

// Spreads a mask from its least and greatest value to the range from 0 to 1, and makes it five times as steep.
extern "C" __global__ void extend(const float* largest, const float* smallest, float* mask, int n) {
  const float least = *smallest, range = *largest - least, scale = range > 0 ? 5 / range : 0;
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    mask[i] = fminf((mask[i] - least) * scale, 1.0f);
}

extern "C" __global__ void unsharpen(const float* in, const float* blurred, float* out, float amount, int n) {
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = fminf(fmaxf(in[i] * (1 + amount) - blurred[i] * amount, 0.0f), 1.0f);
}

// Where the mask is 1 the first, where it is 0 the second.
extern "C" __global__ void combine(const float* first, const float* second, const float* mask, float* out, int n) {
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = first[i] * mask[i] + second[i] * (1 - mask[i]);
}
