// The kernels of which sequences are made: one that computes, one that reads memory. `turns` says how long a block
// takes. Each warp writes one number, which depends on nothing but its place and `turns`.

__device__ float worked(unsigned turns, unsigned at) {
  float x = (float)(at & 1023u) * 0.001f;
  for (unsigned turn = 0; turn < turns; ++turn)
    for (int i = 0; i < 8; ++i) x = fmaf(x, 0.998f, 0.25f);
  return x;
}

extern "C" __global__ void __launch_bounds__(1024, 2) lithos_compute(unsigned turns, float* out) {
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  float x = worked(turns, at);
  if ((threadIdx.x & 31u) == 0) out[at >> 5] = x;
}

// Reads `turns` rows of the block's size; all blocks together read the whole of `data`, which no cache holds.
extern "C" __global__ void __launch_bounds__(1024, 2)
    lithos_stream(unsigned turns, unsigned mask, const float4* data, float* out) {
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned from = blockIdx.x * turns * blockDim.x + threadIdx.x;
  float x = (float)(at & 1023u);
  for (unsigned turn = 0; turn < turns; ++turn) {
    float4 v = data[(from + turn * blockDim.x) & mask];
    x += v.x + v.y + v.z + v.w;
  }
  if ((threadIdx.x & 31u) == 0) out[at >> 5] = x;
}

// As lithos_compute; each block also writes the processor on which it ran.
extern "C" __global__ void __launch_bounds__(1024, 2) lithos_where(unsigned turns, float* out, unsigned* where) {
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  float x = worked(turns, at);
  if ((threadIdx.x & 31u) == 0) out[at >> 5] = x;
  unsigned processor;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(processor));
  if (threadIdx.x == 0) where[blockIdx.x] = processor;
}
