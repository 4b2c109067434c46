// How many steps each point of the plane stays near the origin, one point a work item.
kernel void mandelbrot(int width, int height, int limit, float left, float top, float step, global int* steps) {
  int x = get_global_id(0), y = get_global_id(1);
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
