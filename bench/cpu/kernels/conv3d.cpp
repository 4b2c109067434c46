#include "kernels/loops.hpp"

namespace heddle::bench::loops {

void conv3d(int nz, int ny, int nx, const float* in, float* out) {
  const int plane = ny * nx;
#pragma omp parallel for
  for (int z = 1; z < nz - 1; ++z) {
    for (int y = 1; y < ny - 1; ++y) {
      const float* here = in + z * plane + y * nx;
      float* to = out + z * plane + y * nx;
      for (int x = 1; x < nx - 1; ++x) {
        to[x] = 2.0f * here[x - plane - nx - 1] + 4.0f * here[x + plane - nx - 1] + 5.0f * here[x - plane - nx + 1] +
                7.0f * here[x + plane - nx + 1] - 3.0f * here[x - nx] + 6.0f * here[x] - 9.0f * here[x + nx] -
                8.0f * here[x - plane + nx - 1] + 4.0f * here[x + plane + nx - 1] + 10.0f * here[x - plane + nx + 1] +
                2.0f * here[x + plane + nx + 1];
      }
    }
  }
}

}  // namespace heddle::bench::loops
