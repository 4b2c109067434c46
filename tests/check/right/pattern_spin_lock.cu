// launch: --check=all --grid 6 --block 32 --arg zeros:i32:1 --arg zeros:i32:2
__global__ void locked(int* lock, int* value) {
  if (threadIdx.x != 0) return;
  while (atomicExch(lock, 1) != 0) {
  }
  __threadfence();
  value[0] += 1;
  value[1] = value[0] * 2;
  __threadfence();
  atomicExch(lock, 0);
}
