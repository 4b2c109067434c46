#include <cmath>

#include "kernels/sums.hpp"

namespace heddle::bench::HEDDLE_SUM_LOOPS {

void nbody(int n, const Float4* bodies, Float4* attraction) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const Float4 here = bodies[i];
    float ax = 0, ay = 0, az = 0;
    HEDDLE_REORDERED_SUM(+ : ax, ay, az)
    for (int k = 0; k < n; ++k) {
      const float dx = bodies[k].x - here.x, dy = bodies[k].y - here.y, dz = bodies[k].z - here.z;
      const float inverse = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 1e-4f);
      const float factor = bodies[k].w * inverse * inverse * inverse;
      ax += dx * factor;
      ay += dy * factor;
      az += dz * factor;
    }
    attraction[i] = {ax, ay, az, 0};
  }
}

}  // namespace heddle::bench::HEDDLE_SUM_LOOPS
