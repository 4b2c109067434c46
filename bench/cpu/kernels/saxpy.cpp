#include "kernels/loops.hpp"
#include "kernels/streaming.hpp"

namespace heddle::bench::loops {

void saxpy(int n, float a, const float* x, float* y) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}

void saxpy_streaming(int n, float a, const float* x, float* y) {
#pragma omp parallel for
  for (int i = 0; i < n; i += lanes) stream(y + i, a * load(x + i) + load(y + i));
}

}  // namespace heddle::bench::loops
