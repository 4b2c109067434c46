// Triangles into a picture with a depth buffer: a thread a triangle, depth and colour in one 64-bit atomic.
struct Vertex {
  float x, y, z;
};

__device__ float edge(const Vertex& a, const Vertex& b, float x, float y) {
  return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

extern "C" __global__ void rasterise(int triangles, const Vertex* vertices, const unsigned int* colours, int width, int height,
                                     unsigned long long* pixels) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= triangles) return;
  Vertex a = vertices[3 * t], b = vertices[3 * t + 1], c = vertices[3 * t + 2];
  float area = edge(a, b, c.x, c.y);
  if (area <= 0.0f) return;
  int x0 = max(0, __float2int_rd(fminf(a.x, fminf(b.x, c.x)))), x1 = min(width - 1, __float2int_ru(fmaxf(a.x, fmaxf(b.x, c.x))));
  int y0 = max(0, __float2int_rd(fminf(a.y, fminf(b.y, c.y)))), y1 = min(height - 1, __float2int_ru(fmaxf(a.y, fmaxf(b.y, c.y))));
  for (int y = y0; y <= y1; ++y)
    for (int x = x0; x <= x1; ++x) {
      float u = edge(b, c, x + 0.5f, y + 0.5f), v = edge(c, a, x + 0.5f, y + 0.5f), w = edge(a, b, x + 0.5f, y + 0.5f);
      if (u < 0 || v < 0 || w < 0) continue;
      float depth = (u * a.z + v * b.z + w * c.z) / area;
      unsigned long long value = (static_cast<unsigned long long>(__float_as_uint(depth)) << 32) | colours[t];
      atomicMin(&pixels[y * width + x], value);
    }
}
