// launch: --check=race --block 64 --arg zeros:i32:64
// expect: race
__global__ void branches(int* out) {
  __shared__ int s[64];
  const int i = threadIdx.x;
  int seen = 0;
  if (i < 32) {
    s[i] = 1;
    __syncthreads();
    seen = s[i + 32];  // here before
    __syncthreads();
  } else {
    s[i] = 2;
    __syncthreads();
    s[i] = i;  // here before
    __syncthreads();
  }
  out[i] = seen;
}
