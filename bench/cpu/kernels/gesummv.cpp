#include "kernels/sums.hpp"

namespace heddle::bench::HEDDLE_SUM_LOOPS {

void gesummv(int n, float alpha, float beta, const float* a, const float* b, const float* x, float* y) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float left = 0, right = 0;
    HEDDLE_REORDERED_SUM(+ : left, right)
    for (int j = 0; j < n; ++j) {
      left += a[i * n + j] * x[j];
      right += b[i * n + j] * x[j];
    }
    y[i] = alpha * left + beta * right;
  }
}

}  // namespace heddle::bench::HEDDLE_SUM_LOOPS
