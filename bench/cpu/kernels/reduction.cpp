#include "kernels/loops.hpp"

namespace heddle::bench::loops {

void reduction(int n, const float* in, float* out) {
  float sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += in[i];
  *out = sum;
}

}  // namespace heddle::bench::loops
