// launch: --check=all --grid 2 --block 96 --arg zeros:i32:192 --arg zeros:i32:2
#include <cooperative_groups.h>
__global__ void sum(const int* x, int* out) {
  __shared__ int s[96];
  __shared__ int of_warp[3];
  const int i = threadIdx.x, lane = i % 32;
  int v = x[blockIdx.x * 96 + i] + 1;
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  s[i] = v;
  __syncwarp();
  if (lane == 0) of_warp[i / 32] = s[i];
  const auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
  s[i] = i;
  tile.sync();
  const int other = s[i ^ 7];
  tile.sync();
  s[i] = other + __reduce_add_sync(__activemask(), 1);
  __syncthreads();
  if (i == 0) out[blockIdx.x] = of_warp[0] + of_warp[1] + of_warp[2] + s[50];
}
