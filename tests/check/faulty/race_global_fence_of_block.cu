// launch: --check=race --grid 2 --block 32 --arg zeros:i32:2 --arg zeros:i32:1
// expect: race (read after write)
__global__ void message(int* box, volatile int* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    box[0] = 7;  // before
    __threadfence_block();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    box[1] = box[0];  // here
  }
}
