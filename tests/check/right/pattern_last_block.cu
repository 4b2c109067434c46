// launch: --check=all --grid 16 --block 64 --arg zeros:i32:1024 --arg zeros:i32:16 --arg zeros:i32:1 --arg zeros:i32:1
// The reduction of the SDK's threadFenceReduction: the last block to end adds up what the others have left.
__global__ void total(const int* x, int* partial, unsigned* ticket, int* out) {
  __shared__ int s[64];
  __shared__ bool is_last;
  const int i = threadIdx.x;
  s[i] = x[blockIdx.x * 64 + i] + 1;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (i < half) s[i] += s[i + half];
    __syncthreads();
  }
  if (i == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    is_last = atomicInc(ticket, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  s[i] = i < gridDim.x ? partial[i] : 0;
  __syncthreads();
  if (i == 0) {
    int sum = 0;
    for (int b = 0; b < 64; ++b) sum += s[b];
    *out = sum;
    *ticket = 0;
  }
}
