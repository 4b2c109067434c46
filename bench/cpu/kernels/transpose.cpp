#include "kernels/loops.hpp"

namespace heddle::bench::loops {

void transpose(int width, int height, const float* in, float* out) {
  constexpr int tile = 16;
#pragma omp parallel for
  for (int y0 = 0; y0 < height; y0 += tile) {
    for (int x0 = 0; x0 < width; x0 += tile) {
      for (int x = x0; x < x0 + tile; ++x) {
        for (int y = y0; y < y0 + tile; ++y) out[x * height + y] = in[y * width + x];
      }
    }
  }
}

}  // namespace heddle::bench::loops
