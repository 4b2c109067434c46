#include "kernels/loops.hpp"

namespace heddle::bench::loops {

void mandelbrot(int width, int height, int limit, float left, float top, float step, int* steps) {
#pragma omp parallel for schedule(dynamic)
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const float cr = left + step * x, ci = top + step * y;
      float zr = 0, zi = 0;
      int count = 0;
      while (count < limit && zr * zr + zi * zi < 4.0f) {
        const float next = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = next;
        ++count;
      }
      steps[y * width + x] = count;
    }
  }
}

}  // namespace heddle::bench::loops
