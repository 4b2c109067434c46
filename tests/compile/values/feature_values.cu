// Results with simple definitions, which the host computes again.
#include <cuda_pipeline.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

#if defined(__CUDACC_RTC__) && !defined(HEDDLE_MISSING)  // NVRTC has memcpy and memset, but not this
__device__ void memmove(void* to, const void* from, size_t count) {
  char* target = static_cast<char*>(to);
  const char* source = static_cast<const char*>(from);
  if (target < source) {
    for (size_t i = 0; i < count; ++i) target[i] = source[i];
  } else {
    for (size_t i = count; i-- > 0;) target[i] = source[i];
  }
}
#endif

// All 65536 halves: as float, and back with every rounding from a float a little off.
extern "C" __global__ void half_to_float(float* out, float* from_bfloat16) {
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __half2float(__ushort_as_half(static_cast<unsigned short>(i)));
  from_bfloat16[i] = __bfloat162float(__ushort_as_bfloat16(static_cast<unsigned short>(i)));
}
extern "C" __global__ void float_to_half(int n, const float* in, unsigned short* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = __half_as_ushort(__float2half_rn(in[i]));
  out[n + i] = __half_as_ushort(__float2half_rz(in[i]));
  out[2 * n + i] = __half_as_ushort(__float2half_ru(in[i]));
  out[3 * n + i] = __half_as_ushort(__float2half_rd(in[i]));
  out[4 * n + i] = __bfloat16_as_ushort(__float2bfloat16_rn(in[i]));
  out[5 * n + i] = __bfloat16_as_ushort(__float2bfloat16_rz(in[i]));
  out[6 * n + i] = __bfloat16_as_ushort(__float2bfloat16_ru(in[i]));
  out[7 * n + i] = __bfloat16_as_ushort(__float2bfloat16_rd(in[i]));
}

// a * b + c, and 0 where that is below.
extern "C" __global__ void relu(float a, float b, float c, unsigned short* out) {
  out[0] = __half_as_ushort(__hfma_relu(__float2half(a), __float2half(b), __float2half(c)));
  out[1] = __half_as_ushort(__hfma2_relu(__float2half2_rn(a), __float2half2_rn(b), __float2half2_rn(c)).y);
  out[2] = __bfloat16_as_ushort(__hfma_relu(__float2bfloat16(a), __float2bfloat16(b), __float2bfloat16(c)));
  out[3] = __bfloat16_as_ushort(
      __hfma2_relu(__float2bfloat162_rn(a), __float2bfloat162_rn(b), __float2bfloat162_rn(c)).y);
}

// Sums, scans and broadcasts in groups; one block of 64 threads.
extern "C" __global__ void groups(const int* in, int* out) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto quad = cg::tiled_partition<4>(block);
  int i = block.thread_rank(), v = in[i];
  out[i] = cg::reduce(warp, v, cg::plus<int>());
  out[64 + i] = cg::inclusive_scan(quad, v);
  out[128 + i] = cg::exclusive_scan(warp, v, cg::plus<int>());
  out[192 + i] = quad.shfl(v, 1) + 1000 * static_cast<int>(quad.meta_group_rank());
  out[256 + i] = -1;
  if (v % 3 == 0) {
    auto some = cg::coalesced_threads();
    out[256 + i] = cg::reduce(some, v, cg::greater<int>()) * 64 + some.thread_rank();
  }
  auto parity = cg::labeled_partition(warp, v & 1);
  out[320 + i] = cg::reduce(parity, v, cg::plus<int>()) * 64 + parity.size();
  struct Wide {
    double a;
    int b[3];
  } wide{v * 0.5, {v, i, 7}};
  wide = warp.shfl(wide, 31 - warp.thread_rank());
  out[384 + i] = static_cast<int>(wide.a * 2) + wide.b[1] + wide.b[2];
  auto pair = cg::tiled_partition<2>(cg::tiled_partition<8>(block));
  out[448 + i] = static_cast<int>(pair.meta_group_rank() * 100 + pair.meta_group_size());
}

// Rounds of a barrier over the whole grid: each block adds what the block before it wrote in the round before.
extern "C" __global__ void grid_rounds(int rounds, int* a, int* b) {
  auto grid = cg::this_grid();
  int blocks = gridDim.x;
  for (int r = 0; r < rounds; ++r) {
    volatile int *from = r % 2 ? b : a, *to = r % 2 ? a : b;
    if (threadIdx.x == 0) to[blockIdx.x] = from[(blockIdx.x + blocks - 1) % blocks] + from[blockIdx.x];
    grid.sync();
  }
}

extern "C" __global__ void integers(int n, const unsigned int* in, unsigned int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned int a = in[i], b = in[n - 1 - i];
  int at = i;
  auto put = [&](unsigned int v) {
    out[at] = v;
    at += n;
  };
  put(__clz(a));
  put(__popc(a));
  put(__ffs(a & b));
  put(__brev(a));
  put(__umulhi(a, b));
  put(__mulhi(a, b));
  put(__byte_perm(a, b, 0x6340));
  put(__funnelshift_l(a, b, b & 63));
  put(__funnelshift_rc(a, b, a & 63));
  put(__vadd4(a, b));
  put(__vavgs4(a, b));
  put(__vabsdiffu4(a, b));
  put(__vsadu4(a, b));
  put(__vmaxs2(a, b));
  put(__vaddss2(a, b));
  put(__vcmpgtu4(a, b));
  put(__uhadd(a, b));
  put(__rhadd(a, b));
  put(__usad(a, b, 5));
  put(__dp4a(a, b, 3u));
}

extern "C" __global__ void heap_and_bytes(int* out) {
  int n = 4 + threadIdx.x % 5;
  int* p = new int[n];
  int copy[16];
  for (int i = 0; i < n; ++i) p[i] = i * threadIdx.x;
  memset(copy, 0, sizeof copy);
  memcpy(copy + 2, p, n * sizeof(int));
  memmove(copy + 3, copy + 2, n * sizeof(int));
  delete[] p;
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += (i + 1) * copy[i];
  out[threadIdx.x] = sum;
}

// Batches of asynchronous copies, each thread its own 16 bytes a stage; the last copy of a stage ends in zeros.
template <int Size>
__device__ void staged(const unsigned char* in, unsigned char* out, int stages) {
  __shared__ __align__(16) unsigned char buffer[3][64 * 16];
  const int lane = threadIdx.x * 16;
  for (int s = 0; s < stages; ++s) {
    for (int at = 0; at < 16; at += Size) {
      const int zeros = at + Size == 16 ? s % (Size + 1) : 0;
      __pipeline_memcpy_async(&buffer[s % 3][lane + at], in + s * 1024 + lane + at, Size, zeros);
    }
    __pipeline_commit();
    if (s < 2) continue;
    __pipeline_wait_prior(2);
    memcpy(out + (s - 2) * 1024 + lane, &buffer[(s - 2) % 3][lane], 16);
  }
  __pipeline_wait_prior(0);
  __syncthreads();
  const int other = (63 - threadIdx.x) * 16;  // what another thread has copied
  for (int s = stages - 2; s < stages; ++s) memcpy(out + s * 1024 + other, &buffer[s % 3][other], 16);
}
extern "C" __global__ void pipeline(const unsigned char* in, unsigned char* out, int stages, int size) {
  if (size == 4) staged<4>(in, out, stages);
  if (size == 8) staged<8>(in, out, stages);
  if (size == 16) staged<16>(in, out, stages);
}

struct Weights {
  int w[7];
};
__device__ int picked(const int* w, int i) { return w[i % 7]; }
extern "C" __global__ void grid_constant(const __grid_constant__ Weights weights, int* out) {
  out[threadIdx.x] = picked(weights.w, threadIdx.x) + weights.w[threadIdx.x * 3 % 7];
}

// Warp-aggregated counting as programs write it: only the leader sets what the others then read from it.
__device__ int next_place(int* counter) {
  cg::coalesced_group active = cg::coalesced_threads();
  int first;
  if (active.thread_rank() == 0) first = atomicAdd(counter, static_cast<int>(active.size()));
  first = active.shfl(first, 0);
  return first + active.thread_rank();
}
extern "C" __global__ void filter(int n, const int* in, int* out, int* count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (in[i] % 3) out[next_place(count)] = in[i];
  }
}
extern "C" __global__ void leader_only(const int* in, int* out) {
  int value;
  if (threadIdx.x % 32 == 5) value = in[threadIdx.x];
  out[threadIdx.x] = __shfl_sync(0xffffffffu, value, 5);
}

// A half and a bfloat16 as each integer type. `out`: ten for each.
template <class H>
__device__ void to_integers(float f, long long* out) {
  const H h(f);
  out[0] = static_cast<signed char>(h), out[1] = static_cast<unsigned char>(h), out[2] = static_cast<short>(h);
  out[3] = static_cast<unsigned short>(h), out[4] = static_cast<int>(h), out[5] = static_cast<unsigned>(h);
  out[6] = static_cast<long long>(h), out[7] = static_cast<long long>(static_cast<unsigned long long>(h));
  out[8] = static_cast<char>(h), out[9] = static_cast<bool>(h);
}
extern "C" __global__ void integers_of_halves(const float* in, long long* out) {
  to_integers<__half>(in[threadIdx.x], out + 20 * threadIdx.x);
  to_integers<__nv_bfloat16>(in[threadIdx.x], out + 20 * threadIdx.x + 10);
}

// Copies of the index variables, and references to them. `out`: a value of each kind for each thread.
template <class T>
__device__ __noinline__ unsigned referred(const T& t) {
  auto copy = t;
  return t.x + 10 * copy.x;
}
template <class T>
__device__ unsigned passed(T t) {
  return t.x + 10 * t.y;
}
__device__ unsigned as_uint3(uint3 t) { return t.x + 10 * t.y; }
__device__ auto returned() { return threadIdx; }
extern "C" __global__ void index_copies(unsigned* out) {
  __shared__ decltype(returned()) others[32];
  const unsigned i = threadIdx.x, n = blockDim.x;
  auto t = threadIdx;
  others[i] = t;
  __syncthreads();
  t.x = t.x * 2 + 1;
  --t.y;
  const auto& variable = threadIdx;
  auto& other = others[n - 1 - i];
  const auto& constant = other;
  out[i] = t.x + t.y + 1;
  out[n + i] = variable.x + 100 * other.x + 10000 * constant.x;
  out[2 * n + i] = referred(threadIdx);
  out[3 * n + i] = referred(t);
  out[4 * n + i] = passed(threadIdx) + passed(t) + passed(blockDim);
  out[5 * n + i] = as_uint3(t) + as_uint3(threadIdx);
  t = make_uint3(i, 7, 8);
  out[6 * n + i] = t.x + t.y + t.z;
  t = threadIdx;
  const dim3 d = t, e = threadIdx;
  out[7 * n + i] = d.x + e.x + returned().x;
  auto [a, b, c] = threadIdx;
  auto& [x, y, z] = blockDim;
  out[8 * n + i] = a + b + c + 100 * x + y + z;
}

template <class T>
__device__ void bits(T* p, T* old) {
  old[0] = atomicAnd(p, T(-2)), old[1] = atomicOr(p, T(1) << 40), old[2] = atomicXor(p, T(-1));
  old[3] = atomicAnd_block(p, T(-3)), old[4] = atomicOr_block(p, T(4)), old[5] = atomicXor_block(p, T(7));
  old[6] = atomicAnd_system(p, T(-5)), old[7] = atomicOr_system(p, T(9)), old[8] = atomicXor_system(p, T(~0ull << 50));
}
extern "C" __global__ void bits_of_long_long(long long* p, unsigned long long* q) {
  bits(p, p + 1);
  bits(q, q + 1);
}
