// launch: --check=race --grid 4 --block 64 --cooperative --arg zeros:i32:256 --arg zeros:i32:256
#include <cooperative_groups.h>
__global__ void two_phases(int* x, int* y) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  x[i] = i;
  cooperative_groups::this_grid().sync();
  y[i] = x[255 - i];
}
