// launch: --check=sync --block 64 --arg zeros:i32:64
// All threads come to the copies that the compiler makes of one barrier, and to one that they call from two places.
__device__ void put(int* to, int value) {
  *to = value;
  __syncthreads();
}
__device__ __noinline__ void meet(int* to, int value) {
  *to = value;
  __syncthreads();
}
__global__ void loop(int* out) {
  const bool first = threadIdx.x < 32;
#pragma unroll
  for (int i = 0; i < 4; ++i) put(first ? out + i : out + 4 + i, i);
  if (first)
    meet(out + threadIdx.x, 1);
  else
    meet(out + threadIdx.x, 2);
}
