// launch: --check=sync --block 32 --arg zeros:i32:32
// expect: at different operations
__global__ void halves(int* out) {
  const int i = threadIdx.x;
  if (i < 16)
    out[i] = __shfl_xor_sync(0xffffffffu, i, 1);  // before here
  else
    out[i] = __ballot_sync(0xffffffffu, i % 4 == 0);  // before here
}
