// launch: --check=race --grid 20 --block 32 --arg zeros:i32:640 --arg zeros:i32:21
// expect: race (write after read)
// The block says how many it keeps before it has read its part.
__global__ void compact(int* data, volatile int* kept) {
  const int block = blockIdx.x, lane = threadIdx.x;
  int before = 1;
  if (block > 0)
    while ((before = kept[block - 1]) == 0) __nanosleep(100);
  if (lane == 0) kept[block] = before + 21;
  const int value = data[block * 32 + lane];  // before
  const unsigned keeps = __ballot_sync(~0u, lane % 3 != 0);
  if ((keeps >> lane & 1) != 0) data[before - 1 + __popc(keeps & ((1u << lane) - 1))] = value + 1;  // here
}
