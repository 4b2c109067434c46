// launch: --check=race --block 32 --arg zeros:i32:32
// expect: race
__global__ void halves(int* out) {
  __shared__ int s[32];
  const int i = threadIdx.x;
  const unsigned mine = i < 16 ? 0x0000ffffu : 0xffff0000u;
  s[i] = i * 3;  // before
  __syncwarp(mine);
  out[i] = s[(i + 16) % 32];  // here
}
