// launch: --check=race --grid 20 --block 32 --arg zeros:i32:640 --arg zeros:i32:21
// Each block moves what it keeps to the front, behind what earlier blocks keep. It has read its part before it says how
// many these are; the flag is the number itself, without a fence.
__global__ void compact(int* data, volatile int* kept) {
  const int block = blockIdx.x, lane = threadIdx.x;
  const int value = data[block * 32 + lane];
  const unsigned keeps = __ballot_sync(~0u, value == 0 && lane % 3 != 0);
  int before = 1;  // 0: not known yet
  if (block > 0)
    while ((before = kept[block - 1]) == 0) __nanosleep(100);
  if (lane == 0) kept[block] = before + __popc(keeps);
  if ((keeps >> lane & 1) != 0) data[before - 1 + __popc(keeps & ((1u << lane) - 1))] = value + 1;
}
