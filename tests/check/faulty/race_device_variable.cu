// launch: --check=race --grid 2 --block 32 --arg zeros:i32:1
// expect: race
__device__ int total;
__global__ void add(int* out) {
  total += threadIdx.x;  // here before
  if (threadIdx.x == 40) *out = 1;
}
