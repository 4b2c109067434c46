// launch: --check=race --grid 4 --block 64 --arg zeros:i32:256 --arg zeros:i32:1
// Whoever finds something says so, all in the same word.
__global__ void any(const int* x, int* found) {
  __shared__ int here;
  if (threadIdx.x == 0) here = 0;
  __syncthreads();
  if (x[blockIdx.x * 64 + threadIdx.x] == 0) here = 1;
  __syncthreads();
  if (here != 0) *found = 1;
}
