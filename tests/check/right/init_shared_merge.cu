// launch: --check=init --block 4 --arg zeros:i32:32 --arg i32:4
// Each thread merges two lists. It reads the next element of the list that it took one from, also behind the last one,
// and asks afterwards whether it is there.
struct Pair {
  int key, value;
};
__device__ bool less(const Pair& a, const Pair& b) { return a.key < b.key || (a.key == b.key && a.value < b.value); }
__global__ void merge(int* out, int n) {
  __shared__ Pair list[40];
  const int begin = threadIdx.x * 2 * n;
  for (int i = 0; i < 2 * n; ++i) list[begin + i] = {(i % n) * 2 + i / n, out[begin + i]};
  __syncthreads();
  int one = begin, other = begin + n;
  Pair first = list[one], second = list[other];
  for (int i = 0; i < 2 * n; ++i) {
    const bool takes = other < begin + 2 * n && (one >= begin + n || less(second, first));
    out[begin + i] = takes ? second.key : first.key;
    if (takes)
      second = list[++other];
    else
      first = list[++one];
  }
}
