// launch: --check=race --block 64 --arg zeros:i32:64
// expect: race (read after write)
__global__ void reverse(int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;  // before
  out[threadIdx.x] = s[63 - threadIdx.x];  // here
}
