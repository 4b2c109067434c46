// launch: --check=race --block 64 --arg zeros:i32:64
__global__ void branches(int* out) {
  __shared__ int s[64];
  const int i = threadIdx.x;
  int seen = 0;
  if (i < 32) {
    s[i] = 1;
    __syncthreads();
    seen = s[i];
    __syncthreads();
  } else {
    s[i] = 2;
    __syncthreads();
    s[i] = i;
    __syncthreads();
  }
  out[i] = seen;
}
