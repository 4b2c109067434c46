#include "kernels/loops.hpp"

namespace heddle::bench::loops {

void multiply(int n, const float* a, const float* b, float* c) {
#pragma omp parallel for
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) c[row * n + column] = 0;
    for (int k = 0; k < n; ++k) {
      const float factor = a[row * n + k];
      for (int column = 0; column < n; ++column) c[row * n + column] += factor * b[k * n + column];
    }
  }
}

void two_mm(int n, const float* a, const float* b, const float* c, float* ab, float* d) {
  multiply(n, a, b, ab);
  multiply(n, ab, c, d);
}

}  // namespace heddle::bench::loops
