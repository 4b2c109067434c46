// launch: --check=race --grid 4 --block 64 --arg zeros:i32:1
__global__ void count(int* n) {
  atomicAdd(n, 1);
}
