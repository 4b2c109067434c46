// launch: --check=init --grid 3 --block 64 --arg zeros:i32:3
__global__ void count(int* out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  atomicAdd(&n, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = n;
}
