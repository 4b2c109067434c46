// Barriers, atomics and pipelines of libcu++'s names.
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/barrier>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/initializer_list>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;
static_assert(cuda::std::is_same_v<cuda::std::uint32_t, unsigned int>);
static_assert(sizeof(block_barrier) == 8 && alignof(block_barrier) == 8);

// A copy that arrives at the barrier; five rounds in which each thread takes what its neighbour has; then half of the
// threads leave.
extern "C" __global__ void rounds(int* out, const int* in) {
  __shared__ block_barrier barrier;
  alignas(16) __shared__ int values[128];
  auto block = cg::this_thread_block();
  const unsigned int i = block.thread_rank(), n = block.size();
  if (i == 0) init(&barrier, n);
  block.sync();
  cuda::memcpy_async(block, values, in, cuda::aligned_size_t<16>(sizeof(int) * n), barrier);
  barrier.arrive_and_wait();
  int v = values[(i + 1) % n];
  for (int round = 0; round < 5; ++round) {
    auto token = barrier.arrive();
    barrier.wait(cuda::std::move(token));
    values[i] = v;
    barrier.arrive_and_wait();
    v = values[(i + 1) % n];
  }
  barrier.arrive_and_wait();
  if (i % 2 != 0) {
    barrier.arrive_and_drop();
    out[i] = v;
    return;
  }
  values[i] = v;
  barrier.arrive_and_wait();
  out[i] = values[(i + 2) % n];
}

struct CountUp {
  int* n;
  __device__ void operator()() { ++*n; }
};
extern "C" __global__ void completions(int* n) {
  using counting = cuda::barrier<cuda::thread_scope_block, CountUp>;
  alignas(counting) __shared__ char room[sizeof(counting)];
  auto* barrier = reinterpret_cast<counting*>(room);
  if (threadIdx.x == 0) init(barrier, blockDim.x, CountUp{n});
  __syncthreads();
  for (int i = 0; i < 7; ++i) barrier->arrive_and_wait();
  if (threadIdx.x == 0) n[1] = barrier->try_wait_parity(false) ? 1 : 0;  // the seventh phase is over, with parity 0
}

// Between blocks.
extern "C" __global__ void make_barrier(cuda::barrier<cuda::thread_scope_device>* barrier, int n) { init(barrier, n); }
extern "C" __global__ void across_blocks(cuda::barrier<cuda::thread_scope_device>* barrier, int* between, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  between[i] = i * i;
  barrier->arrive_and_wait();
  out[i] = between[n - 1 - i];
}

extern "C" __global__ void atomics(int* a, unsigned int* b, float* c, unsigned long long* d) {
  auto& counter = *reinterpret_cast<cuda::atomic<int, cuda::thread_scope_device>*>(a);
  counter.fetch_add(2, cuda::memory_order_relaxed);
  ++counter;
  cuda::atomic_ref<unsigned int, cuda::thread_scope_device> most(*b);
  most.fetch_max(threadIdx.x);
  cuda::atomic_ref<float> sum(*c);
  float old = sum.load();
  while (!sum.compare_exchange_weak(old, old + 1.0f)) {
  }
  auto& bits = *reinterpret_cast<volatile cuda::std::atomic<unsigned long long>*>(d);
  if (threadIdx.x == 0) bits = bits.load() + 0;
  bits.fetch_or(1ull << threadIdx.x);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
}

// Through a parameter of which clang knows that nothing else leads to its values.
template <class T>
__device__ void load_all(const T* __restrict__ from, int* out) {
  auto& value = *reinterpret_cast<const cuda::atomic<T>*>(from);
  auto& of_block = *reinterpret_cast<const cuda::atomic<T, cuda::thread_scope_block>*>(from);
  out[0] = static_cast<int>(value.load(cuda::memory_order_relaxed));
  out[1] = static_cast<int>(value.load(cuda::memory_order_acquire));
  out[2] = static_cast<int>(value.load());
  out[3] = static_cast<int>(of_block.load(cuda::memory_order_relaxed));
}
extern "C" __global__ void loads(const signed char* __restrict__ a, const unsigned short* __restrict__ b,
                                 const int* __restrict__ c, const long long* __restrict__ d,
                                 const float* __restrict__ e, const double* __restrict__ f, int* __restrict__ out) {
  load_all(a, out);
  load_all(b, out + 4);
  load_all(c, out + 8);
  load_all(d, out + 12);
  load_all(e, out + 16);
  load_all(f, out + 20);
}

// A message from one block to the next: what is written before a release is seen behind the acquire.
extern "C" __global__ void messages(int* flags, int* data, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> mine(flags[blockIdx.x]), next(flags[blockIdx.x + 1]);
  if (blockIdx.x > 0) mine.wait(0, cuda::memory_order_acquire);
  out[blockIdx.x] = data[blockIdx.x];
  data[blockIdx.x + 1] = data[blockIdx.x] + 3;
  next.store(1, cuda::memory_order_release);
}

extern "C" __global__ void piped(int* out, const int* in, int rounds) {
  __shared__ int buffer[2][32];
  auto pipe = cuda::make_pipeline();
  int sum = 0;
  for (int i = 0; i <= rounds; ++i) {
    if (i < rounds) {
      pipe.producer_acquire();
      cuda::memcpy_async(&buffer[i % 2][threadIdx.x], in + i * 32 + threadIdx.x, sizeof(int), pipe);
      pipe.producer_commit();
    }
    if (i == 0) continue;
    pipe.consumer_wait();
    sum += buffer[(i - 1) % 2][threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// What of the C++ library kernels may use.
extern "C" __global__ void library(int* out) {
  cuda::std::array<int, 3> a = {3, 1, 2};
  cuda::std::tuple<int, long long> t(a[0], 40);
  auto p = cuda::std::make_pair(5, 6);
  cuda::std::swap(p.first, p.second);
  out[0] = a[0] + a[1] + a[2];
  out[1] = static_cast<int>(cuda::std::get<1>(t)) + cuda::std::get<0>(t);
  out[2] = p.first * 10 + p.second;
  out[3] = cuda::std::numeric_limits<int>::max();
}
