// Solutions of the n queens problem: each thread takes one placement of the first two rows and searches the rest with a
// stack in local memory.
extern "C" __global__ void nqueens(int n, unsigned long long* solutions) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n * n) return;
  unsigned int all = (1u << n) - 1, first = 1u << (id / n), second = 1u << (id % n);
  if (second & (first | (first << 1) | (first >> 1))) return;
  unsigned int columns[32], left[32], right[32], open[32];
  int depth = 0;
  columns[0] = first | second;
  left[0] = ((first << 1) | second) << 1;
  right[0] = ((first >> 1) | second) >> 1;
  open[0] = all & ~(columns[0] | left[0] | right[0]);
  unsigned long long count = n == 2 ? 1 : 0;
  while (depth >= 0 && n > 2) {
    if (open[depth] == 0) {
      --depth;
      continue;
    }
    unsigned int bit = open[depth] & (0u - open[depth]);
    open[depth] ^= bit;
    unsigned int c = columns[depth] | bit;
    if (c == all) {
      ++count;
      continue;
    }
    left[depth + 1] = (left[depth] | bit) << 1;
    right[depth + 1] = (right[depth] | bit) >> 1;
    columns[depth + 1] = c;
    open[depth + 1] = all & ~(c | left[depth + 1] | right[depth + 1]);
    ++depth;
  }
  if (count) atomicAdd(solutions, count);
}
