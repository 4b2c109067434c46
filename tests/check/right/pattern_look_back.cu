// launch: --check=all --grid 24 --block 64 --arg zeros:i32:1536 --arg zeros:i32:24 --arg zeros:i32:24 --arg zeros:i32:1536
// A scan in one pass: each block waits for the sum of the one before it (decoupled look-back).
__global__ void scan(const int* x, int* sums, volatile int* ready, int* out) {
  __shared__ int s[64];
  __shared__ int before;
  const int i = threadIdx.x, b = blockIdx.x;
  s[i] = x[b * 64 + i] + 1;
  __syncthreads();
  for (int step = 1; step < 64; step *= 2) {
    const int add = i >= step ? s[i - step] : 0;
    __syncthreads();
    s[i] += add;
    __syncthreads();
  }
  if (i == 0) {
    before = 0;
    if (b > 0) {
      while (ready[b - 1] == 0) {
      }
      __threadfence();
      before = sums[b - 1];
    }
    sums[b] = before + s[63];
    __threadfence();
    ready[b] = 1;
  }
  __syncthreads();
  out[b * 64 + i] = before + s[i];
}
