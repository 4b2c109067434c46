// SAD: sums of absolute differences of a block of 4 x 4 pixels and the reference at 32 horizontal displacements, as
// motion estimation of video needs them, the least of `shifts` vertical ones. A block of threads is one warp: an SM is
// never full of them.
extern "C" __global__ void sad(const unsigned char* frame, const unsigned char* reference, unsigned* sums, int width,
                               int shifts) {
  const int across = (width - 64) / 4;
  const int x = blockIdx.x % across * 4, y = blockIdx.x / across * 4;
  unsigned least = ~0u;
  for (int shift = 0; shift < shifts; ++shift) {
    unsigned sum = 0;
#pragma unroll
    for (int row = 0; row < 4; ++row)
#pragma unroll
      for (int column = 0; column < 4; ++column) {
        const int here = frame[(y + row) * width + x + column];
        const int there = reference[(y + shift + row) * width + x + column + threadIdx.x];
        sum += abs(here - there);
      }
    least = min(least, sum);
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = least;
}
