// launch: --check=memory --block 32 --shared 256 --arg zeros:i32:32
// expect: of shared memory
extern __shared__ int s[];
__global__ void shared(int* out) {
#pragma unroll 1
  for (int i = 0; i < 3; ++i) s[threadIdx.x + 32 * i] = i;  // here
  out[threadIdx.x] = s[threadIdx.x];
}
