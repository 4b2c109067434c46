// launch: --check=race --block 64 --arg zeros:i32:64 --arg zeros:i32:64
__global__ void through_memory(int* tmp, int* out) {
  const int i = threadIdx.x;
  tmp[i] = i;
  __syncthreads();
  out[i] = tmp[63 - i];
}
