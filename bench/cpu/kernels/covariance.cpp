#include "kernels/loops.hpp"

namespace heddle::bench::loops {

void covariance(int n, int m, const float* data, float* average, float* centred, float* result) {
  for (int j = 0; j < m; ++j) average[j] = 0;
#pragma omp parallel for reduction(+ : average[ : m])
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) average[j] += data[i * m + j];
  }
  for (int j = 0; j < m; ++j) average[j] /= n;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) centred[i * m + j] = data[i * m + j] - average[j];
  }
#pragma omp parallel for schedule(dynamic)
  for (int j = 0; j < m; ++j) {
    float* row = result + j * m;
    for (int other = j; other < m; ++other) row[other] = 0;
    for (int i = 0; i < n; ++i) {
      const float factor = centred[i * m + j];
      for (int other = j; other < m; ++other) row[other] += factor * centred[i * m + other];
    }
    for (int other = j; other < m; ++other) row[other] /= n - 1;
    for (int other = j; other < m; ++other) result[other * m + j] = row[other];
  }
}

}  // namespace heddle::bench::loops
