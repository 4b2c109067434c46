// launch: --check=race --grid 4 --block 32 --arg zeros:i32:1
// expect: race
__global__ void sum(int* total) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *total = 0;  // here before
  atomicAdd(total, 1);  // here before
}
