// launch: --check=race --block 64 --arg zeros:i32:1
// expect: race
__global__ void count(int* out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  n = n + 1;  // here before
  __syncthreads();
  if (threadIdx.x == 0) *out = n;
}
