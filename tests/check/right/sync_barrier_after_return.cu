// launch: --check=sync --block 64 --arg i32:40 --arg zeros:i32:64
__global__ void guarded(int n, int* out) {
  __shared__ int s[64];
  const int i = threadIdx.x;
  if (i < n) s[i] = i;
  __syncthreads();
  if (i < n) out[i] = s[0];
}
