#include "kernels/loops.hpp"

namespace heddle::bench::loops {

void conv2d(int rows, int columns, const float* in, float* out) {
#pragma omp parallel for
  for (int i = 1; i < rows - 1; ++i) {
    const float *above = in + (i - 1) * columns, *here = in + i * columns, *below = in + (i + 1) * columns;
    for (int j = 1; j < columns - 1; ++j) {
      out[i * columns + j] = 0.2f * above[j - 1] - 0.3f * above[j] + 0.4f * above[j + 1] + 0.5f * here[j - 1] +
                             0.6f * here[j] + 0.7f * here[j + 1] - 0.8f * below[j - 1] - 0.9f * below[j] +
                             0.1f * below[j + 1];
    }
  }
}

}  // namespace heddle::bench::loops
