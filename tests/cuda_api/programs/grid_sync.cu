// A cooperative launch: all blocks wait for each other.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void rounds(int* p, int* sum, int count) {
  cg::grid_group grid = cg::this_grid();
  const int i = static_cast<int>(grid.thread_rank()), n = static_cast<int>(grid.size());
  for (int round = 0; round < count; ++round) {
    const int next = p[(i + 1) % n];
    grid.sync();
    p[i] = next;
    grid.sync();
  }
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int mine = p[i];
  for (int step = 16; step > 0; step /= 2) mine += warp.shfl_down(mine, step);
  if (warp.thread_rank() == 0) atomicAdd(sum, mine);
}

int main() {
  const int blocks = 4, threads = 64, n = blocks * threads;
  int host[n], *p, *sum, total = 0, count = 3;
  for (int i = 0; i < n; ++i) host[i] = i;
  CHECK(cudaMalloc(&p, sizeof host));
  CHECK(cudaMalloc(&sum, sizeof total));
  CHECK(cudaMemset(sum, 0, sizeof total));
  CHECK(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
  void* arguments[] = {&p, &sum, &count};
  CHECK(cudaLaunchCooperativeKernel((void*)rounds, dim3(blocks), dim3(threads), arguments, 0, 0));
  CHECK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) EXPECT(host[i] == (i + count) % n);
  EXPECT(total == n * (n - 1) / 2);
  std::puts("passed");
}
