#include <cmath>

#include "kernels/loops.hpp"

namespace heddle::bench::loops {

void gramschmidt(int rows, int columns, float* a, float* r, float* q) {
  for (int k = 0; k < columns; ++k) {
    float sum = 0;
    for (int i = 0; i < rows; ++i) sum += a[i * columns + k] * a[i * columns + k];
    const float length = std::sqrt(sum);
    float* products = r + k * columns;
    products[k] = length;
    for (int j = k + 1; j < columns; ++j) products[j] = 0;
#pragma omp parallel for reduction(+ : products[k + 1 : columns - k - 1])
    for (int i = 0; i < rows; ++i) {
      const float unit = a[i * columns + k] / length;
      q[i * columns + k] = unit;
      for (int j = k + 1; j < columns; ++j) products[j] += unit * a[i * columns + j];
    }
#pragma omp parallel for
    for (int i = 0; i < rows; ++i) {
      const float unit = q[i * columns + k];
      for (int j = k + 1; j < columns; ++j) a[i * columns + j] -= unit * products[j];
    }
  }
}

}  // namespace heddle::bench::loops
