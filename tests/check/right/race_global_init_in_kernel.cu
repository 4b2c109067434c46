// launch: --check=race --grid 4 --block 32 --arg zeros:i32:1
__global__ void sum(int* total) {
  atomicAdd(total, 1);
}
