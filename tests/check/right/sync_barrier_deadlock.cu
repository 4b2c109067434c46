// launch: --check=sync --block 64 --arg zeros:i32:64
__global__ void half(int* out) {
  const int i = threadIdx.x;
  __syncthreads();
  out[i] = i;
}
