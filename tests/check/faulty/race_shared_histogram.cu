// launch: --check=race --block 128 --arg zeros:i32:128 --arg zeros:i32:16
// expect: race
__global__ void histogram(const int* x, int* out) {
  __shared__ int bins[16];
  const int i = threadIdx.x;
  if (i < 16) bins[i] = 0;  // before
  atomicAdd(&bins[(x[i] + i) % 16], 1);  // here
  __syncthreads();
  if (i < 16) out[i] = bins[i];
}
