// launch: --check=sync --block 64 --arg zeros:i32:64
// expect: different barriers
__global__ void branches(int* out) {
  __shared__ int s[64];
  const int i = threadIdx.x;
  if (i < 32) {
    s[i] = 1;
    __syncthreads();  // before here
    out[i] = s[i + 32];
  } else {
    s[i] = 2;
    __syncthreads();  // before here
    out[i] = s[i - 32] * 3;
  }
}
