// launch: --check=race --block 64 --arg zeros:i32:64
__global__ void reverse(int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
}
