// launch: --check=race --grid 4 --block 32 --arg zeros:i32:4 --arg zeros:i32:1 --arg zeros:i32:1
// expect: race (read after write)
__global__ void total(int* partial, unsigned* ticket, int* out) {
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = blockIdx.x + 1;  // before
  if (atomicAdd(ticket, 1) != gridDim.x - 1) return;
  int sum = 0;
  for (int b = 0; b < gridDim.x; ++b) sum += partial[b];  // here
  *out = sum;
}
