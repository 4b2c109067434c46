// Cooperative groups in their usual forms.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

struct Triple {
  float a, b, c;
};

extern "C" __global__ void tiles(float* f, int* n) {
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto half_warp = cg::tiled_partition<16>(warp);
  cg::thread_block_tile<4> quad = cg::tiled_partition<4>(block);
  float v = f[block.thread_rank()];
  for (int offset = warp.size() / 2; offset > 0; offset /= 2) v += warp.shfl_down(v, offset);
  v = cg::reduce(half_warp, v, cg::plus<float>()) + warp.shfl_xor(v, 1) + warp.shfl_up(v, 2) + quad.shfl(v, 0);
  n[0] = quad.any(n[1]) + quad.all(n[2]) + quad.ballot(n[3]) + half_warp.match_any(n[4]);
  n[5] = quad.meta_group_rank() + quad.meta_group_size() + quad.thread_rank() + quad.num_threads();
  Triple t{v, v + 1, v + 2};
  t = warp.shfl(t, 3);
  f[0] = t.a + t.c + cg::inclusive_scan(warp, v) + cg::exclusive_scan(half_warp, v, cg::plus<float>());
  quad.sync();
  cg::sync(warp);
  block.sync();
  f[1] = block.size() + block.group_index().x + block.thread_index().y + block.dim_threads().z;
}

extern "C" __global__ void coalesced(int* n) {
  if (threadIdx.x % 3 == 0) {
    cg::coalesced_group group = cg::coalesced_threads();
    int best = cg::reduce(group, n[threadIdx.x], cg::greater<int>());
    if (group.thread_rank() == 0) atomicMax(n, best);
    n[1] = group.ballot(n[2]) + group.any(n[3]) + group.all(n[4]) + group.shfl(n[5], 1) + group.size();
    auto part = cg::binary_partition(group, n[6] > 0);
    auto label = cg::labeled_partition(group, n[7]);
    n[8] = part.size() + label.thread_rank() + label.meta_group_rank();
  }
}

extern "C" __global__ void dynamic(float* f, const float* g) {
  __shared__ float buffer[128];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_group group = cg::tiled_partition(block, 8);
  cg::memcpy_async(block, buffer, g, sizeof buffer);
  cg::wait(block);
  f[group.thread_rank()] = buffer[group.size()];
  group.sync();
}

extern "C" __global__ void grid(float* f) {
  cg::grid_group g = cg::this_grid();
  f[g.thread_rank()] = g.size() + g.num_blocks() + g.block_rank() + g.group_dim().x;
  g.sync();
  if (g.is_valid()) f[0] = f[g.size() - 1];
  g.sync();
}
