// launch: --check=memory --block 32 --shared 64 --arg zeros:i32:32
extern __shared__ int s[];
__global__ void shared(int* out) {
  s[threadIdx.x % 16] = 1;
  out[threadIdx.x] = 1;
}
