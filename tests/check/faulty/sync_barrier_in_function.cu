// launch: --check=sync --block 64 --arg zeros:i32:64
// expect: different barriers
__device__ void put(int* to, int value) {
  *to = value;
  __syncthreads();  // before here
}
__global__ void branches(int* out) {
  if (threadIdx.x < 32) {
    put(out, 1);
  } else {
    put(out + 1, 2);
    out[2] = 3;
  }
}
