#include "parts.h"

// The same name as in the other file: both are of their files only.
static __global__ void kernel(float* p, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= factor * FACTOR;
}
void scale(float* p, int n, float factor) { kernel<<<(n + 63) / 64, 64>>>(p, n, factor); }
