// launch: --check=race --block 64 --arg zeros:i32:1
__global__ void hand_over(int* out) {
  __shared__ int data;
  __shared__ volatile int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    data = 42;
    __threadfence_block();
    ready = 1;
  }
  if (threadIdx.x == 32) {
    while (ready == 0) {
    }
    __threadfence_block();
    *out = data;
  }
}
