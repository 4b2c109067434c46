// launch: --check=all --grid 2 --block 64 --arg zeros:f32:2048 --arg zeros:f32:128
__global__ void pipeline(const float* x, float* out) {
  __shared__ float s[2][64];
  const int i = threadIdx.x;
  float sum = 0;
  s[0][i] = x[blockIdx.x * 1024 + i];
  __syncthreads();
  for (int tile = 0; tile < 16; ++tile) {
    if (tile < 15) s[(tile + 1) % 2][i] = x[blockIdx.x * 1024 + (tile + 1) * 64 + i];
    sum += s[tile % 2][63 - i];
    __syncthreads();
  }
  out[blockIdx.x * 64 + i] = sum;
}
