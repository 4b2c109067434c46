// Inclusive scan in one pass by decoupled look-back (Merrill and Garland): a block waits for the sums of those before it,
// which it finds in memory as they appear. state[i] packs a flag (1: sum of the block, 2: sum up to the block) and a value.
extern "C" __global__ void scan_lookback(int n, const int* in, int* out, unsigned long long* state, unsigned int* ticket) {
  __shared__ int warps[32];
  __shared__ unsigned int tile;
  __shared__ int before;
  if (threadIdx.x == 0) tile = atomicAdd(ticket, 1u);
  __syncthreads();
  int i = tile * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int v = i < n ? in[i] : 0;
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += other;
  }
  if (lane == 31) warps[warp] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int w = 0; w < blockDim.x / 32; ++w) {
      int t = warps[w];
      warps[w] = sum;
      sum += t;
    }
    volatile unsigned long long* states = state;
    states[tile] = ((tile == 0 ? 2ull : 1ull) << 32) | static_cast<unsigned int>(sum);
    __threadfence();
    int total = 0;
    for (int j = static_cast<int>(tile) - 1; j >= 0; --j) {
      unsigned long long s;
      do {
        s = states[j];
      } while ((s >> 32) == 0);
      total += static_cast<int>(s & 0xffffffffu);
      if ((s >> 32) == 2) break;
    }
    before = total;
    if (tile > 0) {
      states[tile] = (2ull << 32) | static_cast<unsigned int>(total + sum);
      __threadfence();
    }
  }
  __syncthreads();
  if (i < n) out[i] = v + warps[warp] + before;
}
