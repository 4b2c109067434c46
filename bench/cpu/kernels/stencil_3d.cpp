#include "kernels/loops.hpp"

namespace heddle::bench::loops {

void stencil_3d(int nx, int ny, int nz, float centre, float side, const float* in, float* out) {
  const int plane = nx * ny;
#pragma omp parallel for
  for (int z = 1; z < nz - 1; ++z) {
    for (int y = 1; y < ny - 1; ++y) {
      const float* here = in + z * plane + y * nx;
      float* to = out + z * plane + y * nx;
      for (int x = 1; x < nx - 1; ++x) {
        to[x] = centre * here[x] +
                side * (here[x - 1] + here[x + 1] + here[x - nx] + here[x + nx] + here[x - plane] + here[x + plane]);
      }
    }
  }
}

}  // namespace heddle::bench::loops
