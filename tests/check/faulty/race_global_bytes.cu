// launch: --check=race --grid 2 --block 32 --arg zeros:u8:64
// expect: race (write after write)
__global__ void bytes(unsigned char* x) {
  x[threadIdx.x] = blockIdx.x + 1;  // here before
}
