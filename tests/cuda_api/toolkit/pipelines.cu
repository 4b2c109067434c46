// libcu++'s pipelines that a block shares, and copies that a barrier waits for.
#include <cuda/std/span>  // which Heddle has not: all of libcu++ is taken
#include <cuda/pipeline>
#include <cuda/barrier>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void k(const int* in, int* out, int n) {
  __shared__ int buf[2][128];
  auto block = cg::this_thread_block();
  constexpr auto scope = cuda::thread_scope_block;
  __shared__ cuda::pipeline_shared_state<scope, 2> state;
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  int batches = n / 128;
  for (int b = 0, f = 0; b < batches; ++b) {
    for (; f < batches && f < b + 2; ++f) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, buf[f % 2], in + f * 128, sizeof(int) * 128, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    block.sync();
    sum += buf[b % 2][(threadIdx.x + 1) % 128];
    block.sync();
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}
__global__ void b(const int* in, int* out) {
  __shared__ int s[128];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  cuda::memcpy_async(block, s, in, sizeof(s), bar);
  bar.arrive_and_wait();
  out[threadIdx.x] += s[127 - threadIdx.x];
}
int main() {
  int *in, *out; cudaMallocManaged(&in, 1024 * 4); cudaMallocManaged(&out, 512);
  for (int i = 0; i < 1024; ++i) in[i] = i * i % 97;
  k<<<1, 128>>>(in, out, 1024); b<<<1, 128>>>(in, out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  int bad = 0;
  for (int t = 0; t < 128; ++t) { int w = in[127 - t]; for (int k = 0; k < 8; ++k) w += in[k * 128 + (t + 1) % 128]; bad += w != out[t]; }
  printf(bad ? "%d are wrong\n" : "passed\n", bad); return bad != 0;
}
