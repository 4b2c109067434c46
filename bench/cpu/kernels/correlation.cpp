#include <cmath>

#include "kernels/loops.hpp"

namespace heddle::bench::loops {

void correlation(int n, int m, const float* data, float* average, float* spread, float* normal, float* result) {
  for (int j = 0; j < m; ++j) average[j] = spread[j] = 0;
#pragma omp parallel for reduction(+ : average[ : m])
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) average[j] += data[i * m + j];
  }
  for (int j = 0; j < m; ++j) average[j] /= n;
#pragma omp parallel for reduction(+ : spread[ : m])
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) spread[j] += (data[i * m + j] - average[j]) * (data[i * m + j] - average[j]);
  }
  for (int j = 0; j < m; ++j) {
    spread[j] = std::sqrt(spread[j] / n);
    if (spread[j] <= 0.005f) spread[j] = 1;
  }
  const float root = std::sqrt(static_cast<float>(n));
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) normal[i * m + j] = (data[i * m + j] - average[j]) / (root * spread[j]);
  }
#pragma omp parallel for schedule(dynamic)
  for (int j = 0; j < m; ++j) {
    float* row = result + j * m;
    for (int other = j + 1; other < m; ++other) row[other] = 0;
    for (int i = 0; i < n; ++i) {
      const float factor = normal[i * m + j];
      for (int other = j + 1; other < m; ++other) row[other] += factor * normal[i * m + other];
    }
    row[j] = 1;
    for (int other = j + 1; other < m; ++other) result[other * m + j] = row[other];
  }
}

}  // namespace heddle::bench::loops
