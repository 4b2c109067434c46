#include "kernels/loops.hpp"
#include "kernels/streaming.hpp"

namespace heddle::bench::loops {

void triad(int n, float s, const float* b, const float* c, float* a) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = b[i] + s * c[i];
}

void triad_streaming(int n, float s, const float* b, const float* c, float* a) {
#pragma omp parallel for
  for (int i = 0; i < n; i += lanes) stream(a + i, load(b + i) + s * load(c + i));
}

}  // namespace heddle::bench::loops
