// Escape times of the Mandelbrot set: lanes leave their loops at very different times.
template <typename T>
__device__ int escape(T cx, T cy, int limit) {
  T x = 0, y = 0;
  int i = 0;
  for (; i < limit && x * x + y * y < T(4); ++i) {
    T t = x * x - y * y + cx;
    y = T(2) * x * y + cy;
    x = t;
  }
  return i;
}

extern "C" __global__ void mandelbrot(int width, int height, float left, float top, float step, int limit, int* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = escape(left + x * step, top + y * step, limit);
}

extern "C" __global__ void mandelbrot_double(int width, int height, double left, double top, double step, int limit,
                                             int* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = escape(left + x * step, top + y * step, limit);
}
