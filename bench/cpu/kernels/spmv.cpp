#include "kernels/loops.hpp"

namespace heddle::bench::loops {

void spmv(int rows, const int* offsets, const int* columns, const float* values, const float* x, float* y) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    float sum = 0;
    for (int i = offsets[row]; i < offsets[row + 1]; ++i) sum += values[i] * x[columns[i]];
    y[row] = sum;
  }
}

}  // namespace heddle::bench::loops
