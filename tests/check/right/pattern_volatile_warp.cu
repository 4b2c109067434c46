// launch: --check=race --block 64 --arg zeros:f32:64 --arg zeros:f32:1
// The end of a reduction as it was written before __syncwarp.
__global__ void sum(const float* x, float* out) {
  __shared__ float s[64];
  const int i = threadIdx.x;
  s[i] = x[i] + 1;
  __syncthreads();
  if (i < 32) {
    volatile float* v = s;
    for (int half = 32; half > 0; half /= 2) v[i] += v[i + half];
  }
  if (i == 0) *out = s[0];
}
