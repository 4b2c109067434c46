// launch: --check=race --block 128 --arg zeros:i32:128
// expect: race
__global__ void scan(int* x) {
  __shared__ int s[128];
  const int i = threadIdx.x;
  s[i] = x[i] + 1;
  __syncthreads();
  for (int step = 1; step < 128; step *= 2) {
    const int add = i >= step ? s[i - step] : 0;  // before
    s[i] += add;  // here
    __syncthreads();
  }
  x[i] = s[i];
}
