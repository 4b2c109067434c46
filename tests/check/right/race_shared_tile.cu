// launch: --check=race --block 16x16 --arg zeros:f32:1024 --arg zeros:f32:1024 --arg zeros:f32:1024
__global__ void multiply(const float* a, const float* b, float* c) {
  __shared__ float x[16][16], y[16][16];
  const int i = threadIdx.y, j = threadIdx.x;
  float sum = 0;
  for (int tile = 0; tile < 4; ++tile) {
    x[i][j] = a[(i * 64 + tile * 16 + j)];
    y[i][j] = b[(tile * 16 + i) * 16 + j];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < 16; ++k)
      sum += x[i][k] * y[k][j];
    __syncthreads();
  }
  c[i * 16 + j] = sum;
}
