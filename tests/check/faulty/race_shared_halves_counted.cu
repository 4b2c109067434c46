// launch: --check=race --block 64 --arg zeros:u16:64
// expect: (32 times between these places)
// Each of the second warp's writes is a mistake, and one, although it has two bytes.
__global__ void reverse(unsigned short* out) {
  __shared__ unsigned short s[64];
  const int i = threadIdx.x;
  s[i] = i;  // before here
  out[i] = s[63 - i];  // before here
}
