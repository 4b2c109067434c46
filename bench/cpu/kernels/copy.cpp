#include "kernels/loops.hpp"
#include "kernels/streaming.hpp"

namespace heddle::bench::loops {

void copy(int n, const float* a, float* b) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i] = a[i];
}

void copy_streaming(int n, const float* a, float* b) {
#pragma omp parallel for
  for (int i = 0; i < n; i += lanes) stream(b + i, load(a + i));
}

}  // namespace heddle::bench::loops
