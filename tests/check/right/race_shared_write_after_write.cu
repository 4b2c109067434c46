// launch: --check=race --block 96 --arg zeros:i32:1
__global__ void last(int* out) {
  __shared__ int winner;
  if (threadIdx.x == 5) winner = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) *out = winner;
}
