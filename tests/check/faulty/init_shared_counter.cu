// launch: --check=init --grid 3 --block 64 --arg zeros:i32:3
// expect: uninitialised read
__global__ void count(int* out) {
  __shared__ int n;
  atomicAdd(&n, 1);  // here
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = n;
}
