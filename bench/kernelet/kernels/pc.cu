// PC: each thread follows a chain of indices through an array. Nearly every access is a request of its own.
extern "C" __global__ void pc(const unsigned* next, unsigned* last, unsigned mask, int steps) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned place = (thread * 2654435761u) & mask;
  for (int step = 0; step < steps; ++step) place = next[place];
  last[thread] = place;
}
