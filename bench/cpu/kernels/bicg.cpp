#include "kernels/sums.hpp"

namespace heddle::bench::HEDDLE_SUM_LOOPS {

void bicg(int rows, int columns, const float* a, const float* r, const float* p, float* s, float* q) {
  for (int j = 0; j < columns; ++j) s[j] = 0;
#pragma omp parallel for reduction(+ : s[ : columns])
  for (int i = 0; i < rows; ++i) {
    float sum = 0;
    HEDDLE_REORDERED_SUM(+ : sum)
    for (int j = 0; j < columns; ++j) {
      s[j] += a[i * columns + j] * r[i];
      sum += a[i * columns + j] * p[j];
    }
    q[i] = sum;
  }
}

}  // namespace heddle::bench::HEDDLE_SUM_LOOPS
