// launch: --check=race --grid 2 --block 32 --arg zeros:i32:1
__device__ int total;
__global__ void add(int* out) {
  atomicAdd(&total, threadIdx.x);
  if (threadIdx.x == 40) *out = 1;
}
