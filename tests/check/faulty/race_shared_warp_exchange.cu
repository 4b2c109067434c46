// launch: --check=race --block 32 --arg zeros:i32:32
// expect: race (read after write)
__global__ void exchange(int* out) {
  __shared__ int s[32];
  const int i = threadIdx.x;
  s[i] = i;  // before
  out[i] = s[i ^ 1];  // here
}
