// How many steps each point of the plane stays near the origin, one point a thread.
extern "C" __global__ void mandelbrot(int width, int height, int limit, float left, float top, float step, int* steps) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float cr = left + step * x, ci = top + step * y, zr = 0, zi = 0;
  int count = 0;
  while (count < limit && zr * zr + zi * zi < 4.0f) {
    float next = zr * zr - zi * zi + cr;
    zi = 2.0f * zr * zi + ci;
    zr = next;
    ++count;
  }
  steps[y * width + x] = count;
}
