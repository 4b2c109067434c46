// The programs of the suite of Simultaneous Branch and Warp Interweaving that the other files do not have, written anew
// with the structure of those of the CUDA SDK and of Rodinia: their blocks, their shared memory and their branches. All
// have the form of divergent.cu: words in, words out, one for each thread.

using u32 = unsigned;

namespace {

__device__ u32 item() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ u32 mixed(u32 x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}
__device__ float unit(u32 x) { return (x >> 8) * (1.0f / 16777216.0f); }
__device__ float normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float p = 0.39894228f * __expf(-0.5f * d * d) * k *
                  (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  return d > 0 ? 1.0f - p : p;
}

}  // namespace

// Prices of options in closed form, as in the SDK: hardware's exponentials, no branch.
extern "C" __global__ void prices(const u32* in, u32* out, u32 n) {
  const u32 i = item();
  float sum = 0;
  for (u32 k = 0; k < 2; ++k) {
    const float s = 5 + 25 * unit(in[(i + k * 64) % n]), x = 1 + 99 * unit(mixed(in[(i + k * 64) % n]));
    const float t = 0.25f + 9.75f * unit(mixed(i + k)), root = 0.3f * sqrtf(t);
    const float d = (__logf(s / x) + 0.065f * t) / root;
    sum += s * normal(d) - x * __expf(-0.02f * t) * normal(d - root);
  }
  out[i] = __float_as_uint(sum);
}

// The forward step of a layer of 16 by 16 weights: a sum by halves, in which rows of threads have no work.
extern "C" __global__ void backprop(const u32* in, u32* out, u32) {
  __shared__ float nodes[16], weights[16][17];
  const u32 x = threadIdx.x % 16, y = threadIdx.x / 16;
  if (x == 0) nodes[y] = unit(in[item()]);
  __syncthreads();
  weights[y][x] = unit(mixed(in[item()]));
  __syncthreads();
  weights[y][x] *= nodes[y];
  __syncthreads();
  for (u32 power = 2; power <= 16; power *= 2) {
    if (y % power == 0) weights[y][x] += weights[y + power / 2][x];
    __syncthreads();
  }
  out[item()] = __float_as_uint(1.0f / (1.0f + __expf(-weights[0][x]) + y));
}

// A binomial tree of 64 steps for an option of each block: one thread less has work in each step.
extern "C" __global__ void binomial(const u32* in, u32* out, u32) {
  __shared__ float values[257];
  const u32 t = threadIdx.x;
  const float start = 20 + 80 * unit(in[item() - t]);
  values[t] = fmaxf(start * __expf(0.02f * (2.0f * t - blockDim.x)) - 60.0f, 0.0f);
  if (t == 0) values[blockDim.x] = values[0];
  __syncthreads();
  for (u32 step = 0; step < 64; ++step) {
    const float next = 0.51f * values[t + 1] + 0.48f * values[t];
    __syncthreads();
    if (t < blockDim.x - step) values[t] = next;
    __syncthreads();
  }
  out[item()] = __float_as_uint(values[t]);
}

// Haar wavelets of 512 words of a block: half of the threads of each level have work in the next one.
extern "C" __global__ void haar(const u32* in, u32* out, u32 n) {
  __shared__ float signal[512];
  const u32 t = threadIdx.x;
  float a = unit(in[item()]), b = unit(in[(item() + n / 2) % n]), detail = 0.7071f * (a - b);
  float sum = detail;
  signal[t] = 0.7071f * (a + b);
  __syncthreads();
  for (u32 left = blockDim.x / 2; left > 0; left /= 2) {
    if (t < left) {
      a = signal[2 * t];
      b = signal[2 * t + 1];
      detail = 0.7071f * (a - b);
      sum += detail;
    }
    __syncthreads();
    if (t < left) signal[t] = 0.7071f * (a + b);
    __syncthreads();
  }
  out[item()] = __float_as_uint(sum + signal[0]);
}

// The Walsh-Hadamard transform of 512 words of a block.
extern "C" __global__ void walsh(const u32* in, u32* out, u32 n) {
  __shared__ float words[512];
  const u32 t = threadIdx.x, d = blockDim.x;
  words[t] = unit(in[item()]);
  words[t + d] = unit(in[(item() + n / 2) % n]);
  for (u32 stride = d; stride > 0; stride /= 2) {
    __syncthreads();
    const u32 low = t & (stride - 1), i = 2 * t - low, j = i + stride;
    const float a = words[i], b = words[j];
    words[i] = a + b;
    words[j] = a - b;
  }
  __syncthreads();
  out[item()] = __float_as_uint(words[t] + words[t + d]);
}

// Paths of prices, and their mean in a block.
extern "C" __global__ void monte_carlo(const u32* in, u32* out, u32 n) {
  __shared__ float sums[256];
  const u32 t = threadIdx.x;
  float sum = 0;
  for (u32 path = 0; path < 12; ++path) {
    const float z = unit(in[(item() + path * 256) % n]) - 0.5f;
    sum += fmaxf(30.0f * __expf(0.05f + 0.3f * z) - 29.0f, 0.0f);
  }
  sums[t] = sum;
  for (u32 half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) sums[t] += sums[t + half];
  }
  __syncthreads();
  out[item()] = __float_as_uint(sums[0] + sum);
}

// A row of a separable convolution of radius 8: the image's edges are zeros.
extern "C" __global__ void separable(const u32* in, u32* out, u32 n) {
  __shared__ float row[272];
  const u32 t = threadIdx.x, i = item();
  row[t + 8] = unit(in[i]);
  if (t < 8) row[t] = i >= 8 ? unit(in[i - 8]) : 0.0f;
  if (t >= blockDim.x - 8) row[t + 16] = i + 8 < n ? unit(in[i + 8]) : 0.0f;
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = -8; k <= 8; ++k) sum += (0.2f + 0.01f * k) * row[t + 8 + k];
  out[i] = __float_as_uint(sum);
}

// Histograms of bytes, one for each warp, whose sums are the block's. GPUs of that time have no additions in shared
// memory: their machine code repeats a load and a store until no other thread was in between, as this does.
extern "C" __global__ void histogram(const u32* in, u32* out, u32 n) {
  __shared__ u32 bins[8][64];
  const u32 t = threadIdx.x, warp = t / 32;
  for (u32 k = t; k < 512; k += blockDim.x) bins[k / 64][k % 64] = 0;
  __syncthreads();
  for (u32 k = 0; k < 4; ++k) {
    const u32 word = in[(item() + k * 1024) % n];
    for (u32 byte = 0; byte < 32; byte += 8) {
      u32* const bin = &bins[warp][(word >> byte) & 63];
      for (u32 seen = *bin;;) {
        const u32 found = atomicCAS(bin, seen, seen + 1);
        if (found == seen) break;
        seen = found;
      }
    }
  }
  __syncthreads();
  u32 sum = 0;
  if (t < 64)
    for (u32 k = 0; k < blockDim.x / 32; ++k) sum += bins[k][t];
  out[item()] = sum;
}

// LU decomposition as in Rodinia: 16 threads of a block solve a row of tiles, 16 others a column.
extern "C" __global__ void lud_perimeter(const u32* in, u32* out, u32) {
  __shared__ float diagonal[16][17], row[16][17], column[16][17];
  const u32 t = threadIdx.x, base = item() - t;
  const auto word = [&](u32 k) { return unit(mixed(in[base + k % 32] + k)); };
  if (t < 16) {
    for (u32 i = 0; i < 8; ++i) diagonal[i][t] = word(i * 16 + t) + (i == t ? 4 : 0);
    for (u32 i = 0; i < 16; ++i) row[i][t] = word(512 + i * 16 + t);
  } else {
    for (u32 i = 8; i < 16; ++i) diagonal[i][t - 16] = word(i * 16 + t - 16) + (i == t - 16 ? 4 : 0);
    for (u32 i = 0; i < 16; ++i) column[i][t - 16] = word(1024 + i * 16 + t - 16);
  }
  __syncthreads();
  if (t < 16) {
    for (u32 i = 1; i < 16; ++i)
      for (u32 j = 0; j < i; ++j) row[i][t] -= diagonal[i][j] * row[j][t];
  } else {
    for (u32 i = 0; i < 16; ++i) {
      for (u32 j = 0; j < i; ++j) column[t - 16][i] -= column[t - 16][j] * diagonal[j][i];
      column[t - 16][i] /= diagonal[i][i];
    }
  }
  __syncthreads();
  out[item()] = __float_as_uint(t < 16 ? row[15][t] : column[t - 16][15]);
}

// Needleman-Wunsch as in Rodinia: a tile of 16 by 16 by a block of 16 threads, one diagonal after the other.
extern "C" __global__ void needle_tile(const u32* in, u32* out, u32 n) {
  __shared__ int scores[17][17], costs[16][16];
  const u32 t = threadIdx.x;
  for (u32 y = 0; y < 16; ++y) costs[y][t] = static_cast<int>(in[(item() + y * 16) % n] & 7) - 3;
  scores[0][t + 1] = -static_cast<int>(t);
  scores[t + 1][0] = -static_cast<int>(t);
  if (t == 0) scores[0][0] = 0;
  __syncthreads();
  const auto cell = [&](u32 x, u32 y) {
    const int corner = scores[y - 1][x - 1] + costs[y - 1][x - 1];
    scores[y][x] = max(corner, max(scores[y][x - 1], scores[y - 1][x]) - 2);
  };
  for (u32 m = 0; m < 16; ++m) {
    if (t <= m) cell(t + 1, m - t + 1);
    __syncthreads();
  }
  for (u32 m = 15; m > 0; --m) {
    if (t < m) cell(t + 17 - m, 16 - t);
    __syncthreads();
  }
  out[item()] = static_cast<u32>(scores[16][t + 1]);
}

// A step of speckle-reducing diffusion on tiles of 16 by 16: the edges of a tile come from memory.
extern "C" __global__ void srad(const u32* in, u32* out, u32 n) {
  __shared__ float tile[16][16], norths[16][16], souths[16][16], wests[16][16], easts[16][16];
  const u32 x = threadIdx.x % 16, y = threadIdx.x / 16, i = item();
  const float here = 1 + unit(in[i]);
  tile[y][x] = here;
  norths[y][x] = y == 0 ? 1 + unit(in[(i + n - 240) % n]) : 0.0f;
  souths[y][x] = y == 15 ? 1 + unit(in[(i + 240) % n]) : 0.0f;
  wests[y][x] = x == 0 ? 1 + unit(in[(i + n - 241) % n]) : 0.0f;
  easts[y][x] = x == 15 ? 1 + unit(in[(i + 241) % n]) : 0.0f;
  __syncthreads();
  float north, south, west, east;
  if (y == 0 && x == 0) {
    north = norths[y][x] - here;
    south = tile[y + 1][x] - here;
    west = wests[y][x] - here;
    east = tile[y][x + 1] - here;
  } else if (y == 15 && x == 15) {
    north = tile[y - 1][x] - here;
    south = souths[y][x] - here;
    west = tile[y][x - 1] - here;
    east = easts[y][x] - here;
  } else if (y == 0) {
    north = norths[y][x] - here;
    south = tile[y + 1][x] - here;
    west = tile[y][x - 1] - here;
    east = x == 15 ? easts[y][x] - here : tile[y][x + 1] - here;
  } else if (y == 15) {
    north = tile[y - 1][x] - here;
    south = souths[y][x] - here;
    west = x == 0 ? wests[y][x] - here : tile[y][x - 1] - here;
    east = tile[y][x + 1] - here;
  } else {
    north = tile[y - 1][x] - here;
    south = tile[y + 1][x] - here;
    west = x == 0 ? wests[y][x] - here : tile[y][x - 1] - here;
    east = x == 15 ? easts[y][x] - here : tile[y][x + 1] - here;
  }
  const float g = (north * north + south * south + west * west + east * east) / (here * here);
  const float l = (north + south + west + east) / here;
  const float q = (0.5f * g - 0.0625f * l * l) / ((1 + 0.25f * l) * (1 + 0.25f * l));
  float c = 1.0f / (1.0f + (q - 0.05f) / (0.05f * 1.05f));
  if (c < 0)
    c = 0;
  else if (c > 1)
    c = 1;
  out[i] = __float_as_uint(c);
}

// Odd-even merge sort of 512 keys with values by a block, a pair for each thread: a swap is a branch.
extern "C" __global__ void merge_sort(const u32* in, u32* out, u32 n) {
  __shared__ u32 keys[512], values[512];
  const u32 t = threadIdx.x, d = blockDim.x;
  keys[t] = in[item()];
  keys[t + d] = in[(item() + n / 2) % n];
  values[t] = item();
  values[t + d] = item() + n;
  const auto order = [&](u32 a, u32 b) {
    const u32 x = keys[a], y = keys[b];
    if (x > y) {
      keys[a] = y;
      keys[b] = x;
      const u32 v = values[a];
      values[a] = values[b];
      values[b] = v;
    }
  };
  for (u32 size = 2; size <= 2 * d; size *= 2) {
    u32 stride = size / 2;
    const u32 offset = t & (stride - 1);
    __syncthreads();
    order(2 * t - (t & (stride - 1)), 2 * t - (t & (stride - 1)) + stride);
    for (stride /= 2; stride > 0; stride /= 2) {
      __syncthreads();
      const u32 at = 2 * t - (t & (stride - 1));
      if (offset >= stride) order(at - stride, at);
    }
  }
  __syncthreads();
  out[item()] = keys[t] ^ values[t + d];
}

// The Mandelbrot set on an image of 64 pixels a row, in tiles of 16 by 16 as blocks of the SDK have them. Blocks take
// tiles from a list, with a barrier before each.
extern "C" __global__ void mandelbrot_tiles(const u32*, u32* out, u32 n) {
  __shared__ u32 tile;
  const u32 x = threadIdx.x % 16, y = threadIdx.x / 16;
  for (u32 turn = 0; turn < 2; ++turn) {
    __syncthreads();
    if (threadIdx.x == 0) tile = (blockIdx.x + turn * 7) % gridDim.x;
    __syncthreads();
    const u32 left = tile % 4 * 16, top = tile / 4 * 16, rows = n / 64;
    const float cx = (left + x) * (3.0f / 64) - 2.2f, cy = (top + y) * (2.4f / rows) - 1.2f;
    float re = 0, im = 0;
    u32 turns = 0;
    while (turns < 96 && re * re + im * im < 4) {
      const float next = re * re - im * im + cx;
      im = 2 * re * im + cy;
      re = next;
      ++turns;
    }
    if (turn == 0) out[item()] = turns;
    if (turn == 1) out[item()] += turns << 8;
  }
}
