#include "kernels/loops.hpp"

namespace heddle::bench::loops {

void three_mm(int n, const float* a, const float* b, const float* c, const float* d, float* ab, float* cd, float* g) {
  multiply(n, a, b, ab);
  multiply(n, c, d, cd);
  multiply(n, ab, cd, g);
}

}  // namespace heddle::bench::loops
