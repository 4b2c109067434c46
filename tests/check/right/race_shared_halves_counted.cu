// launch: --check=race --block 64 --arg zeros:u16:64
__global__ void reverse(unsigned short* out) {
  __shared__ unsigned short s[64];
  const int i = threadIdx.x;
  s[i] = i;
  __syncthreads();
  out[i] = s[63 - i];
}
