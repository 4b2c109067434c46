// Transposition: plain, and through shared memory with padding so that both sides are coalesced.
extern "C" __global__ void transpose_naive(int width, int height, const float* in, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

// Blocks of 32 x 8 threads.
extern "C" __global__ void transpose_shared(int width, int height, const float* in, float* out) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y0 = blockIdx.y * 32;
  for (int i = threadIdx.y; i < 32; i += 8)
    if (x < width && y0 + i < height) tile[i][threadIdx.x] = in[(y0 + i) * width + x];
  __syncthreads();
  int out_x = y0 + threadIdx.x, out_y0 = blockIdx.x * 32;
  for (int i = threadIdx.y; i < 32; i += 8)
    if (out_x < height && out_y0 + i < width) out[(out_y0 + i) * height + out_x] = tile[threadIdx.x][i];
}
