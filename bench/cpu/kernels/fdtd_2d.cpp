#include "kernels/loops.hpp"

namespace heddle::bench::loops {

void fdtd_2d(int rows, int columns, int steps, const float* source, float* ex, float* ey, float* hz) {
  for (int t = 0; t < steps; ++t) {
#pragma omp parallel for
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        ey[i * columns + j] =
            i == 0 ? source[t] : ey[i * columns + j] - 0.5f * (hz[i * columns + j] - hz[(i - 1) * columns + j]);
      }
    }
#pragma omp parallel for
    for (int i = 0; i < rows; ++i) {
      for (int j = 1; j < columns; ++j) ex[i * columns + j] -= 0.5f * (hz[i * columns + j] - hz[i * columns + j - 1]);
    }
#pragma omp parallel for
    for (int i = 0; i < rows - 1; ++i) {
      for (int j = 0; j < columns - 1; ++j) {
        hz[i * columns + j] -=
            0.7f * (ex[i * columns + j + 1] - ex[i * columns + j] + ey[(i + 1) * columns + j] - ey[i * columns + j]);
      }
    }
  }
}

}  // namespace heddle::bench::loops
