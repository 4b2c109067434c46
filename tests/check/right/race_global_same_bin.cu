// launch: --check=race --grid 2 --block 64 --arg zeros:i32:8
__global__ void bins(int* n) {
  atomicAdd(&n[threadIdx.x % 8], 1);
}
