// launch: --check=race --block 256 --arg zeros:f32:256 --arg zeros:f32:1
// expect: race
__global__ void sum(const float* x, float* out) {
  __shared__ float s[256];
  const int i = threadIdx.x;
  s[i] = x[i];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (i < half) s[i] += s[i + half];  // here before
  }
  if (i == 0) *out = s[0];
}
