// launch: --check=sync --block 64 --arg zeros:i32:64
__global__ void vote(int* out) {
  int v = 0;
  v = __ballot_sync(0xffffffffu, threadIdx.x % 4 == 0);
  out[threadIdx.x] = v;
}
