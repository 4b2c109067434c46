// Kernels whose threads do the same: all have one form, as in divergent.cu.

using u32 = unsigned;

namespace {

__device__ u32 item() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ float unit(u32 x) { return (x >> 8) * (1.0f / 16777216.0f); }

}  // namespace

// A product of matrices of n / 64 by 64 and 64 by 64, tile by tile in shared memory, 64 threads for each row.
extern "C" __global__ void matmul(const u32* in, u32* out, u32 n) {
  __shared__ float a[1024];
  const u32 i = item(), row = i / 64, column = i % 64;
  a[threadIdx.x] = unit(in[i]);
  __syncthreads();
  float sum = 0;
  const u32 mine = threadIdx.x / 64 * 64;
#pragma unroll 8
  for (u32 k = 0; k < 64; ++k) sum += a[mine + k] * unit(in[(k * 64 + column) % n]);
  out[i] = __float_as_uint(sum + row);
}

// A transform of 128 points in shared memory.
extern "C" __global__ void fft(const u32* in, u32* out, u32) {
  __shared__ float re[1024], im[1024];
  const u32 t = threadIdx.x % 128, base = threadIdx.x / 128 * 128;
  re[base + t] = unit(in[item()]);
  im[base + t] = 0;
  __syncthreads();
  for (u32 half = 1; half < 128; half *= 2) {
    const u32 pair = t % 64, low = base + pair / half * 2 * half + pair % half, high = low + half;
    const float angle = -3.14159265f * (pair % half) / half;
    const float c = 1 - angle * angle * 0.5f + angle * angle * angle * angle * (1.0f / 24), s = angle - angle * angle * angle * (1.0f / 6);
    const float r = re[high] * c - im[high] * s, m = re[high] * s + im[high] * c;
    const float lr = re[low], lm = im[low];
    __syncthreads();
    if (t < 64) {
      re[low] = lr + r;
      im[low] = lm + m;
      re[high] = lr - r;
      im[high] = lm - m;
    }
    __syncthreads();
  }
  out[item()] = __float_as_uint(re[base + t] + im[base + t]);
}

extern "C" __global__ void vector_add(const u32* in, u32* out, u32 n) {
  const u32 i = item();
  out[i] = in[i] + in[(i + n / 2) % n];
}

extern "C" __global__ void transpose(const u32* in, u32* out, u32 n) {
  __shared__ u32 tile[1024];
  const u32 t = threadIdx.x;
  tile[t] = in[item()];
  __syncthreads();
  const u32 rows = blockDim.x / 32;
  out[item()] = tile[t % rows * 32 + t / rows] + n;
}

// A stencil of 13 points in three dimensions.
extern "C" __global__ void finite_difference(const u32* in, u32* out, u32 n) {
  const u32 i = item();
  float sum = 0.3f * unit(in[i]);
#pragma unroll
  for (u32 d = 1; d <= 2; ++d) {
    sum += 0.1f * (unit(in[(i + d) % n]) + unit(in[(i + n - d) % n]));
    sum += 0.1f * (unit(in[(i + 32 * d) % n]) + unit(in[(i + n - 32 * d) % n]));
    sum += 0.1f * (unit(in[(i + 1024 * d) % n]) + unit(in[(i + n - 1024 * d) % n]));
  }
  out[i] = __float_as_uint(sum);
}

// Temperatures of a chip: a stencil of five points, three times.
extern "C" __global__ void hotspot(const u32* in, u32* out, u32 n) {
  __shared__ float t[1026];
  const u32 i = item(), x = threadIdx.x + 1;
  float mine = unit(in[i]);
  const float power = unit(in[(i + 7) % n]);
  if (threadIdx.x == 0) t[0] = t[blockDim.x + 1] = 0;
  for (u32 step = 0; step < 3; ++step) {
    t[x] = mine;
    __syncthreads();
    mine += 0.1f * (t[x - 1] + t[x + 1] - 2 * mine) + 0.05f * (power - mine);
    __syncthreads();
  }
  out[i] = __float_as_uint(mine);
}
