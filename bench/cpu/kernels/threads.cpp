#include <omp.h>

#include "kernels/loops.hpp"

namespace heddle::bench::loops {

void use_threads(int threads) {
  omp_set_num_threads(threads);
  kmp_set_blocktime(1);  // milliseconds
}

}  // namespace heddle::bench::loops
