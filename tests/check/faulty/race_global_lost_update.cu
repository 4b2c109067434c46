// launch: --check=race --grid 4 --block 64 --arg zeros:i32:1
// expect: race
__global__ void count(int* n) {
  *n = *n + 1;  // here before
}
