// launch: --check=race --block 96 --arg zeros:i32:1
// expect: race (write after write)
__global__ void last(int* out) {
  __shared__ int winner;
  winner = threadIdx.x;  // here before
  __syncthreads();
  if (threadIdx.x == 0) *out = winner;
}
