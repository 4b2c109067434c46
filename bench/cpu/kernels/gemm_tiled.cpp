#include "kernels/loops.hpp"

namespace heddle::bench::loops {

// Rows of B are used for a block of rows of C while they are in the cache.
void gemm_tiled(int n, const float* a, const float* b, float* c) {
  constexpr int tile = 32;
#pragma omp parallel for
  for (int row0 = 0; row0 < n; row0 += tile) {
    for (int row = row0; row < row0 + tile; ++row) {
      for (int column = 0; column < n; ++column) c[row * n + column] = 0;
    }
    for (int k0 = 0; k0 < n; k0 += tile) {
      for (int row = row0; row < row0 + tile; ++row) {
        for (int k = k0; k < k0 + tile; ++k) {
          const float factor = a[row * n + k];
          for (int column = 0; column < n; ++column) c[row * n + column] += factor * b[k * n + column];
        }
      }
    }
  }
}

}  // namespace heddle::bench::loops
