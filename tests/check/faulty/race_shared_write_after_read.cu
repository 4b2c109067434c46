// launch: --check=race --block 64 --arg zeros:i32:64
// expect: race (write after read)
__global__ void rotate(int* out) {
  __shared__ int s[64];
  const int i = threadIdx.x;
  s[i] = i;
  __syncthreads();
  const int next = s[(i + 33) % 64];  // before
  s[i] = next * 2;  // here
  __syncthreads();
  out[i] = s[i];
}
