// launch: --check=race --grid 2 --block 32 --arg zeros:u8:64
__global__ void bytes(unsigned char* x) {
  x[blockIdx.x * 32 + threadIdx.x] = blockIdx.x + 1;
}
