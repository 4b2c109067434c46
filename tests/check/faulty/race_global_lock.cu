// launch: --check=race --grid 4 --block 1 --arg zeros:i32:1 --arg zeros:i32:1
// expect: race
__global__ void locked(int* lock, int* value) {
  while (atomicCAS(&lock[0], 0, 0) != 0) {
  }
  *value = *value + 1;  // here before
  atomicExch(&lock[0], 0);
}
