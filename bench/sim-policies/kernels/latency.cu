// Kernels for questions of residency: small blocks that wait for memory, and blocks with many registers. All have one
// form, as in divergent.cu.

using u32 = unsigned;

namespace {

__device__ u32 item() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ float unit(u32 x) { return (x >> 8) * (1.0f / 16777216.0f); }

}  // namespace

// Each load reads the address of the next.
extern "C" __global__ void pointer_chase(const u32* in, u32* out, u32 n) {
  u32 at = item() * 37 % n;
  for (u32 k = 0; k < 8; ++k) at = (in[at] + k) % n;
  out[item()] = at;
}

// The same with one address for a warp, so that bandwidth is no limit.
extern "C" __global__ void warp_chase(const u32* in, u32* out, u32 n) {
  u32 at = item() / 32 * 37 % n;
  for (u32 k = 0; k < 8; ++k) at = (in[at] + k) % n;
  out[item()] = at;
}

extern "C" __global__ void gather(const u32* in, u32* out, u32 n) {
  u32 sum = 0, at = item();
  for (u32 k = 0; k < 6; ++k) {
    at = at * 1664525u + 1013904223u;
    sum += in[at % n];
  }
  out[item()] = sum;
}

extern "C" __global__ void convolution(const u32* in, u32* out, u32 n) {
  const u32 i = item();
  float sum = 0;
#pragma unroll 2
  for (u32 k = 0; k < 9; ++k) sum += unit(in[(i + (k / 3) * 256 + k % 3) % n]) * (k + 1);
  out[i] = __float_as_uint(sum);
}

extern "C" __global__ void reduction(const u32* in, u32* out, u32 n) {
  __shared__ u32 sums[256];
  const u32 i = item(), t = threadIdx.x;
  u32 sum = 0;
  for (u32 k = 0; k < 4; ++k) sum += in[(i + k * (n / 4)) % n];
  sums[t] = sum;
  __syncthreads();
  for (u32 half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) sums[t] += sums[t + half];
    __syncthreads();
  }
  out[i] = sums[0] + t;
}

extern "C" __global__ void fdtd(const u32* in, u32* out, u32 n) {
  const u32 i = item();
  float e = unit(in[i]);
  for (u32 step = 0; step < 3; ++step) {
    const float h = unit(in[(i + 4096 * (step + 1)) % n]) - unit(in[(i + 4096 * (step + 1) + 64) % n]);
    e -= 0.5f * h;
  }
  out[i] = __float_as_uint(e);
}

extern "C" __global__ void gaussian(const u32* in, u32* out, u32 n) {
  const u32 i = item(), row = i / 64, column = i % 64;
  float value = unit(in[i]);
  for (u32 k = 0; k < 4; ++k) value -= unit(in[(row * 64 + k * 7919) % n]) * unit(in[(k * 8192 + column) % n]);
  out[i] = __float_as_uint(value);
}

extern "C" __global__ void wavelet(const u32* in, u32* out, u32 n) {
  const u32 i = item();
  const u32 a = in[2 * i % n], b = in[(2 * i + 1) % n], c = in[(2 * i + n / 2) % n];
  out[i] = ((a + b) >> 1) - c;
}

// A row of the cheapest paths: little memory, much shared memory.
extern "C" __global__ void path_finder(const u32* in, u32* out, u32) {
  __shared__ u32 row[260];
  const u32 t = threadIdx.x + 1;
  u32 cost = in[item()] & 255;
  if (threadIdx.x == 0) row[0] = row[blockDim.x + 1] = 255;
  for (u32 step = 0; step < 12; ++step) {
    row[t] = cost;
    __syncthreads();
    cost = min(min(row[t - 1], row[t]), row[t + 1]) + ((t * 7 + step * 13) & 15);
    __syncthreads();
  }
  out[item()] = cost;
}

// A tile of eight by eight results in registers: capacity is what limits its blocks.
extern "C" __global__ void register_tile(const u32* in, u32* out, u32 n) {
  const u32 i = item();
  float sums[8][8] = {};
  for (u32 k = 0; k < 3; ++k) {
    float a[8], b[8];
#pragma unroll
    for (u32 j = 0; j < 8; ++j) {
      a[j] = unit(in[(i + j * 64 + k * 4096) % n]);
      b[j] = unit(in[(i * 8 + j + k) % n]);
    }
#pragma unroll
    for (u32 r = 0; r < 8; ++r)
#pragma unroll
      for (u32 c = 0; c < 8; ++c) sums[r][c] += a[r] * b[c];
  }
  float all = 0;
#pragma unroll
  for (u32 r = 0; r < 8; ++r)
#pragma unroll
    for (u32 c = 0; c < 8; ++c) all += sums[r][c] * (r * 8 + c);
  out[i] = __float_as_uint(all);
}

// Polynomials whose coefficients stay in registers.
extern "C" __global__ void polynomials(const u32* in, u32* out, u32 n) {
  const u32 i = item();
  float c[40];
#pragma unroll
  for (u32 k = 0; k < 40; ++k) c[k] = unit(in[(i + k * 128) % n]);
  float sum = 0;
  for (u32 turn = 0; turn < 4; ++turn) {
    const float x = 0.1f * turn + unit(in[(i + turn) % n]);
    float value = 0;
#pragma unroll
    for (u32 k = 0; k < 40; ++k) value = value * x + c[k];
    sum += value;
  }
  out[i] = __float_as_uint(sum);
}
