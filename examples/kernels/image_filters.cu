// Pictures of bytes: Gaussian blur, Sobel, grey values, median of nine.
__constant__ float gauss[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};

extern "C" __global__ void gaussian_blur(int width, int height, const uchar4* in, uchar4* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float r = 0, g = 0, b = 0;
  for (int j = -2; j <= 2; ++j)
    for (int i = -2; i <= 2; ++i) {
      uchar4 p = in[min(max(y + j, 0), height - 1) * width + min(max(x + i, 0), width - 1)];
      float w = gauss[i + 2] * gauss[j + 2];
      r += w * p.x;
      g += w * p.y;
      b += w * p.z;
    }
  out[y * width + x] = make_uchar4(__float2int_rn(r), __float2int_rn(g), __float2int_rn(b), in[y * width + x].w);
}

extern "C" __global__ void grey(int n, const uchar4* in, unsigned char* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = static_cast<unsigned char>((in[i].x * 77u + in[i].y * 151u + in[i].z * 28u) >> 8);
}

extern "C" __global__ void sobel(int width, int height, const unsigned char* in, unsigned char* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  auto at = [&](int u, int v) {
    return static_cast<int>(in[min(max(v, 0), height - 1) * width + min(max(u, 0), width - 1)]);
  };
  int gx = at(x + 1, y - 1) + 2 * at(x + 1, y) + at(x + 1, y + 1) - at(x - 1, y - 1) - 2 * at(x - 1, y) - at(x - 1, y + 1);
  int gy = at(x - 1, y + 1) + 2 * at(x, y + 1) + at(x + 1, y + 1) - at(x - 1, y - 1) - 2 * at(x, y - 1) - at(x + 1, y - 1);
  out[y * width + x] = static_cast<unsigned char>(min(255, static_cast<int>(sqrtf(static_cast<float>(gx * gx + gy * gy)))));
}

__device__ void order(unsigned char& a, unsigned char& b) {
  unsigned char low = min(a, b);
  b = max(a, b);
  a = low;
}
extern "C" __global__ void median_3x3(int width, int height, const unsigned char* in, unsigned char* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  unsigned char v[9];
#pragma unroll
  for (int i = 0; i < 9; ++i) v[i] = in[(y + i / 3 - 1) * width + x + i % 3 - 1];
#pragma unroll
  for (int pass = 0; pass < 5; ++pass)
#pragma unroll
    for (int i = 8; i > pass; --i) order(v[i - 1], v[i]);
  out[y * width + x] = v[4];
}
