// launch: --check=memory --block 65 --arg zeros:i32:64
// expect: write of 4 bytes
__global__ void fill(int* x) {
  x[threadIdx.x] = 1;  // here
}
