// launch: --check=race --grid 2 --block 32 --arg zeros:i32:2 --arg zeros:i32:1
__global__ void message(int* box, volatile int* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    box[0] = 7;
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    box[1] = box[0];
  }
}
