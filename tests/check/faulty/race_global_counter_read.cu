// launch: --check=race --grid 4 --block 64 --arg zeros:i32:1 --arg zeros:i32:256
// expect: race
// A plain read of what others count, though a compare-and-swap of another place follows.
__global__ void count(int* counter, int* out) {
  const int seen = *counter;  // here before
  atomicCAS(&out[blockIdx.x * 64 + threadIdx.x], seen, 1);
  atomicAdd(counter, 1);  // here before
}
