// launch: --check=race --grid 2 --block 32 --arg zeros:u32:256
__global__ void store(uint4* out) {
  out[threadIdx.x + blockIdx.x * 32] = make_uint4(blockIdx.x, 1, 2, 3 + blockIdx.x);
}
