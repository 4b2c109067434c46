#include "kernels/sums.hpp"

namespace heddle::bench::HEDDLE_SUM_LOOPS {

void syr2k(int n, int m, float alpha, float beta, const float* a, const float* b, float* c) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      HEDDLE_REORDERED_SUM(+ : sum)
      for (int k = 0; k < m; ++k) sum += a[i * m + k] * b[j * m + k] + b[i * m + k] * a[j * m + k];
      c[i * n + j] = beta * c[i * n + j] + alpha * sum;
    }
  }
}

}  // namespace heddle::bench::HEDDLE_SUM_LOOPS
