// launch: --check=init --block 32x8 --arg zeros:f32:256 --arg out:x.npy:f32:256
// expect: uninitialised
// The tile's last column is padding, which nobody writes.
__global__ void turn(const float* in, float* out) {
  __shared__ float tile[8][33];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = 2 * tile[threadIdx.y][threadIdx.x + 1];  // here
}
