// launch: --check=race --block 64 --arg zeros:i8:64
__global__ void bytes(signed char* out) {
  __shared__ signed char s[64];
  const int i = threadIdx.x;
  s[i] = i;
  out[i] = s[i];
}
