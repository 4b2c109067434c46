#include "kernels/sums.hpp"

namespace heddle::bench::HEDDLE_SUM_LOOPS {

void mvt(int n, const float* a, const float* y1, const float* y2, float* x1, float* x2) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float sum = x1[i];
    HEDDLE_REORDERED_SUM(+ : sum)
    for (int j = 0; j < n; ++j) sum += a[i * n + j] * y1[j];
    x1[i] = sum;
  }
#pragma omp parallel for reduction(+ : x2[ : n])
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) x2[i] += a[j * n + i] * y2[j];
  }
}

}  // namespace heddle::bench::HEDDLE_SUM_LOOPS
