// launch: --check=race --block 64 --arg zeros:i32:1
__global__ void count(int* out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  atomicAdd(&n, 1);
  __syncthreads();
  if (threadIdx.x == 0) *out = n;
}
