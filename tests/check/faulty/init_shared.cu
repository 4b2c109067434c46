// launch: --check=init --block 64 --arg zeros:i32:64
// expect: uninitialised read
__global__ void partly(int* out) {
  __shared__ int s[64];
  if (threadIdx.x < 63) s[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x] + 1;  // here
}
