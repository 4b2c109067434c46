// Radix-2 FFT in shared memory: a block transforms n = 2 blockDim.x complex numbers.
extern "C" __global__ void fft_radix2(int logarithm, float direction, const float2* in, float2* out) {
  extern __shared__ float2 data[];
  int n = 1 << logarithm, base = blockIdx.x * n;
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[__brev(i) >> (32 - logarithm)] = in[base + i];
  for (int half = 1; half < n; half *= 2) {
    __syncthreads();
    int k = threadIdx.x & (half - 1), low = 2 * threadIdx.x - k, high = low + half;
    float s, c;
    sincospif(direction * k / half, &s, &c);
    float2 a = data[low], b = data[high];
    float2 t = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    data[low] = make_float2(a.x + t.x, a.y + t.y);
    data[high] = make_float2(a.x - t.x, a.y - t.y);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[base + i] = data[i];
}
