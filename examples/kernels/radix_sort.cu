// One pass of a least-significant-digit radix sort with four bits a digit: count, scan, scatter (stable).
constexpr int digits = 16;

extern "C" __global__ void radix_count(int n, int shift, const unsigned int* keys, unsigned int* counts) {
  __shared__ unsigned int local[digits];
  if (threadIdx.x < digits) local[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&local[(keys[i] >> shift) & (digits - 1)], 1u);
  __syncthreads();
  // Digit by digit, so that one scan gives every block's places.
  if (threadIdx.x < digits) counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

// One block scans all counts.
extern "C" __global__ void radix_scan(int n, unsigned int* counts) {
  __shared__ unsigned int sums[1024];
  unsigned int carried = 0;
  for (int start = 0; start < n; start += blockDim.x) {
    int i = start + threadIdx.x;
    unsigned int v = i < n ? counts[i] : 0;
    sums[threadIdx.x] = v;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
      unsigned int t = threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
      __syncthreads();
      sums[threadIdx.x] += t;
      __syncthreads();
    }
    if (i < n) counts[i] = carried + sums[threadIdx.x] - v;
    carried += sums[blockDim.x - 1];
    __syncthreads();
  }
}

extern "C" __global__ void radix_scatter(int n, int shift, const unsigned int* keys, const unsigned int* offsets,
                                         unsigned int* sorted) {
  __shared__ unsigned int warp_counts[32][digits];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  unsigned int key = i < n ? keys[i] : 0, digit = i < n ? (key >> shift) & (digits - 1) : digits;
  unsigned int rank = 0;
  for (unsigned int d = 0; d < digits; ++d) {
    unsigned int same = __ballot_sync(0xffffffffu, digit == d);
    if (digit == d) rank = __popc(same & ((1u << lane) - 1));
    if (lane == 0) warp_counts[warp][d] = __popc(same);
  }
  __syncthreads();
  if (threadIdx.x < digits) {
    unsigned int sum = 0;
    for (int w = 0; w < blockDim.x / 32; ++w) {
      unsigned int t = warp_counts[w][threadIdx.x];
      warp_counts[w][threadIdx.x] = sum;
      sum += t;
    }
  }
  __syncthreads();
  if (i < n) sorted[offsets[digit * gridDim.x + blockIdx.x] + warp_counts[warp][digit] + rank] = key;
}
