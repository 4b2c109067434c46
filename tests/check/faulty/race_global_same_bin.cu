// launch: --check=race --grid 2 --block 64 --arg zeros:i32:8
// expect: race
__global__ void bins(int* n) {
  n[threadIdx.x % 8] += 1;  // here before
}
