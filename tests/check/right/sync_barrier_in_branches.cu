// launch: --check=sync --block 64 --arg zeros:i32:64
__global__ void branches(int* out) {
  __shared__ int s[64];
  const int i = threadIdx.x;
  s[i] = i < 32 ? 1 : 2;
  __syncthreads();
  out[i] = i < 32 ? s[i + 32] : s[i - 32] * 3;
}
