// overhead_starpu where StarPU was not found when the project was configured.
#include <cstdio>

int main() {
  std::puts("NOT RUN: StarPU is not installed (apt-get install libstarpu-dev)");
  return 0;
}
