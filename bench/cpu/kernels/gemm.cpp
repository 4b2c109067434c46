#include "kernels/loops.hpp"

namespace heddle::bench::loops {

void gemm(int m, int n, int k, float alpha, float beta, const float* a, const float* b, float* c) {
#pragma omp parallel for
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) c[row * n + column] *= beta;
    for (int i = 0; i < k; ++i) {
      const float factor = alpha * a[row * k + i];
      for (int column = 0; column < n; ++column) c[row * n + column] += factor * b[i * n + column];
    }
  }
}

}  // namespace heddle::bench::loops
