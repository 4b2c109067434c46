// launch: --check=memory --block 32 --shared 256 --arg zeros:i32:32
extern __shared__ int s[];
__global__ void shared(int* out) {
#pragma unroll 1
  for (int i = 0; i < 2; ++i) s[threadIdx.x + 32 * i] = i;
  out[threadIdx.x] = s[threadIdx.x];
}
