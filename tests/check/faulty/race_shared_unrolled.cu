// launch: --check=race --block 8,8 --arg zeros:f32:64 --arg zeros:f32:64
// expect: found 2 mistakes
__global__ void product(const float* a, float* out) {
  __shared__ float tile[8][8];
  float sum = 0;
  for (int turn = 0; turn < 2; ++turn) {
    tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 8 + threadIdx.x] + turn;  // here
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += tile[threadIdx.y][k] * tile[k][threadIdx.x];
  }
  out[threadIdx.y * 8 + threadIdx.x] = sum;
}
