// launch: --check=race --grid 4 --block 64 --arg zeros:i32:256 --arg zeros:i32:1 --arg zeros:u64:1
// A level of a search: vertices that others mark meanwhile are read plainly, and so is a word of marks.
struct Best {
  float value;
  int vertex;
};

__global__ void level(int* distance, unsigned* marks, unsigned long long* best) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = blockDim.x * gridDim.x;
  if (distance[i] == 0)
    for (int edge = 1; edge < 5; ++edge) {
      const int neighbour = (i * edge + 7) % n;
      if (distance[neighbour] == 0) atomicCAS(&distance[neighbour], 0, 1);
    }
  const unsigned mark = 1u << (i % 32);
  if ((*marks & mark) == 0) atomicOr(marks, mark);
  union Packed {
    Best best;
    unsigned long long bits;
  } mine, seen;
  mine.best = {static_cast<float>((i * 37) % 101), i};
  seen.bits = *best;
  while (seen.best.value < mine.best.value) seen.bits = atomicCAS(best, seen.bits, mine.bits);
}
