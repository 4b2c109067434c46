// libcu++ as a whole: types of the standard library, atomics, a barrier in shared memory.
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/chrono>
#include <cuda/std/cmath>
#include <cuda/std/limits>
#include <cuda/std/functional>
#include <cuda/std/span>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/semaphore>
#include <cuda/pipeline>
#include <cuda/functional>
#include <cstdio>
__device__ cuda::atomic<int, cuda::thread_scope_device> counter{0};
__global__ void k(float* out, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  cuda::std::array<float, 4> a{1, 2, 3, 4};
  cuda::std::complex<float> c(1, 2); c *= c;
  cuda::std::optional<int> o; if (threadIdx.x & 1) o = 3;
  auto t = cuda::std::make_tuple(1, 2.0f);
  counter.fetch_add(1, cuda::std::memory_order_relaxed);
  bar.arrive_and_wait();
  if (threadIdx.x < n) { out[threadIdx.x] = a[threadIdx.x & 3] + c.real() + o.value_or(0) + cuda::std::get<1>(t) + cuda::std::sqrt(4.0f);
    cuda::atomic_ref<float, cuda::thread_scope_device> r(out[n]); r.fetch_add(1.0f); }
}
int main() {
  float* d; cudaMallocManaged(&d, 65 * 4); d[64] = 0;
  k<<<1, 64>>>(d, 64); cudaDeviceSynchronize();
  int bad = d[64] != 64;
  for (int i = 0; i < 64; ++i) bad += d[i] != (i & 3) + 1 - 3 + ((i & 1) ? 3 : 0) + 2 + 2;
  printf(bad ? "wrong\n" : "passed\n"); return bad;
}
