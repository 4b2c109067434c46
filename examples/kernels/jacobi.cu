// Jacobi's iteration: one step with the greatest change, and a cooperative kernel that iterates by itself with a barrier of
// the whole grid.
#include <cooperative_groups.h>

extern "C" __global__ void jacobi_step(int width, int height, const float* in, float* out, int* change_bits) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float change = 0;
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
    int i = y * width + x;
    float v = 0.25f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
    change = fabsf(v - in[i]);
    out[i] = v;
  }
  // Not negative, so that the bits order as the numbers do.
  if (__syncthreads_or(change > 0.0f)) atomicMax(change_bits, __float_as_int(change));
}

extern "C" __global__ void jacobi_grid(int n, int iterations, float* a, float* b) {
  auto grid = cooperative_groups::this_grid();
  for (int step = 0; step < iterations; ++step) {
    float *from = step % 2 ? b : a, *to = step % 2 ? a : b;
    for (int i = 1 + static_cast<int>(grid.thread_rank()); i < n - 1; i += static_cast<int>(grid.size())) {
      to[i] = 0.5f * (from[i - 1] + from[i + 1]);
    }
    grid.sync();
  }
}
