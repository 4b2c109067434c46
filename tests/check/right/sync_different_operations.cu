// launch: --check=sync --block 32 --arg zeros:i32:32
// The same operation at two places, in the same order; other ones with masks of their own.
__global__ void halves(int* out) {
  const int i = threadIdx.x;
  if (i < 16) {
    out[i] = __shfl_xor_sync(0xffffffffu, i, 1);
    __syncwarp();
    out[i] += __ballot_sync(0x0000ffffu, i % 4 == 0);
  } else {
    out[i] = __any_sync(0xffff0000u, i % 4 == 0);
    out[i] += __shfl_xor_sync(0xffffffffu, 2 * i, 1);
    __syncwarp();
  }
}
