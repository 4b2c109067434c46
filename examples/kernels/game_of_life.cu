// Conway's game on a torus: a byte a cell, and 32 cells a word with bit-parallel sums.
extern "C" __global__ void life_bytes(int width, int height, const unsigned char* in, unsigned char* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int count = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i)
      if (i || j) count += in[((y + j + height) % height) * width + (x + i + width) % width];
  out[y * width + x] = count == 3 || (count == 2 && in[y * width + x]);
}

extern "C" __global__ void life_bits(int words, int height, const unsigned int* in, unsigned int* out) {
  int w = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (w >= words || y >= height) return;
  unsigned int ones = 0, twos = 0, fours = 0;
  auto add = [&](unsigned int v) {
    unsigned int carry = ones & v;
    ones ^= v;
    unsigned int high = twos & carry;
    twos ^= carry;
    fours |= high;
  };
  for (int j = -1; j <= 1; ++j) {
    const unsigned int* row = in + ((y + j + height) % height) * words;
    unsigned int left = row[(w + words - 1) % words], here = row[w], right = row[(w + 1) % words];
    add(__funnelshift_l(left, here, 1));
    add(__funnelshift_r(here, right, 1));
    if (j) add(here);
  }
  out[y * words + w] = ~fours & twos & (ones | in[y * words + w]);
}
