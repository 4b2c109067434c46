// launch: --check=sync --block 64 --arg i32:40 --arg zeros:i32:64
// expect: not all threads of the block come to the barrier
__global__ void guarded(int n, int* out) {
  __shared__ int s[64];
  const int i = threadIdx.x;
  if (i >= n) return;
  s[i] = i;
  __syncthreads();  // here
  out[i] = s[0];
}
