#include "kernels/loops.hpp"

namespace heddle::bench::loops {

void histogram(int n, const unsigned char* data, unsigned int* bins) {
  for (int i = 0; i < 256; ++i) bins[i] = 0;
#pragma omp parallel for reduction(+ : bins[ : 256])
  for (int i = 0; i < n; ++i) ++bins[data[i]];
}

}  // namespace heddle::bench::loops
