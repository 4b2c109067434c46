#include "kernels/sums.hpp"

namespace heddle::bench::HEDDLE_SUM_LOOPS {

void atax(int rows, int columns, const float* a, const float* x, float* y) {
  for (int j = 0; j < columns; ++j) y[j] = 0;
#pragma omp parallel for reduction(+ : y[ : columns])
  for (int i = 0; i < rows; ++i) {
    float product = 0;
    HEDDLE_REORDERED_SUM(+ : product)
    for (int j = 0; j < columns; ++j) product += a[i * columns + j] * x[j];
    for (int j = 0; j < columns; ++j) y[j] += a[i * columns + j] * product;
  }
}

}  // namespace heddle::bench::HEDDLE_SUM_LOOPS
