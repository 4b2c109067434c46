// Image processing as CUDA kernels. A colour picture is uchar4 (red, green, blue, alpha), a grey one bytes; both row by
// row without padding. Pixels beyond an edge repeat the edge.

constexpr int tile_x = 32, tile_y = 8;  // threads of a block, where a kernel works on tiles
constexpr int max_radius = 8;

__device__ int clamp_index(int i, int n) { return i < 0 ? 0 : (i >= n ? n - 1 : i); }
__device__ unsigned char to_byte(float v) { return static_cast<unsigned char>(fminf(fmaxf(v, 0.0f), 255.0f) + 0.5f); }

// Integer luma: (77 R + 150 G + 29 B) / 256, rounded.
extern "C" __global__ void gray(const uchar4* in, unsigned char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uchar4 p = in[i];
  out[i] = static_cast<unsigned char>((77 * p.x + 150 * p.y + 29 * p.z + 128) >> 8);
}

// Gaussian blur in two passes; the weights of one side, centre first, lie in constant memory.
__constant__ float gaussian_weights[max_radius + 1];

extern "C" __global__ void gaussian_rows(const unsigned char* in, float* out, int width, int height, int radius) {
  __shared__ float row[tile_y][tile_x + 2 * max_radius];
  const int x = blockIdx.x * tile_x + threadIdx.x, y = blockIdx.y * tile_y + threadIdx.y;
  const int line = clamp_index(y, height) * width;
  for (int i = threadIdx.x; i < tile_x + 2 * radius; i += tile_x) {
    row[threadIdx.y][i] = in[line + clamp_index(static_cast<int>(blockIdx.x) * tile_x + i - radius, width)];
  }
  __syncthreads();
  if (x >= width || y >= height) return;
  const float* centre = &row[threadIdx.y][threadIdx.x + radius];
  float sum = gaussian_weights[0] * centre[0];
  for (int k = 1; k <= radius; ++k) sum += gaussian_weights[k] * (centre[-k] + centre[k]);
  out[y * width + x] = sum;
}

extern "C" __global__ void gaussian_columns(const float* in, float* out, int width, int height, int radius) {
  __shared__ float column[tile_y + 2 * max_radius][tile_x];
  const int x = blockIdx.x * tile_x + threadIdx.x, y = blockIdx.y * tile_y + threadIdx.y;
  const int from = clamp_index(x, width);
  for (int i = threadIdx.y; i < tile_y + 2 * radius; i += tile_y) {
    column[i][threadIdx.x] = in[clamp_index(static_cast<int>(blockIdx.y) * tile_y + i - radius, height) * width + from];
  }
  __syncthreads();
  if (x >= width || y >= height) return;
  const int at = threadIdx.y + radius;
  float sum = gaussian_weights[0] * column[at][threadIdx.x];
  for (int k = 1; k <= radius; ++k) {
    sum += gaussian_weights[k] * (column[at - k][threadIdx.x] + column[at + k][threadIdx.x]);
  }
  out[y * width + x] = sum;
}

// Sharpens: the picture plus `amount` times what the blur took away.
extern "C" __global__ void unsharp(const unsigned char* in, const float* blurred, unsigned char* out, float amount, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = to_byte(in[i] + amount * (in[i] - blurred[i]));
}

// Mean of the (2 radius + 1)^2 pixels around, in colour; integers, rounded.
extern "C" __global__ void box_blur(const uchar4* in, uchar4* out, int width, int height, int radius) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int red = 0, green = 0, blue = 0;
  for (int dy = -radius; dy <= radius; ++dy) {
    const uchar4* line = in + clamp_index(y + dy, height) * width;
    for (int dx = -radius; dx <= radius; ++dx) {
      const uchar4 p = line[clamp_index(x + dx, width)];
      red += p.x;
      green += p.y;
      blue += p.z;
    }
  }
  const int count = (2 * radius + 1) * (2 * radius + 1), half = count / 2;
  out[y * width + x] = make_uchar4((red + half) / count, (green + half) / count, (blue + half) / count, 255);
}

// Edge strength |gx| + |gy|, over a tile with a halo of one pixel in shared memory.
extern "C" __global__ void sobel(const unsigned char* in, unsigned char* out, int width, int height) {
  __shared__ int tile[tile_y + 2][tile_x + 2];
  const int left = blockIdx.x * tile_x - 1, top = blockIdx.y * tile_y - 1;
  const int thread = threadIdx.y * tile_x + threadIdx.x;
  for (int i = thread; i < (tile_y + 2) * (tile_x + 2); i += tile_x * tile_y) {
    const int tx = i % (tile_x + 2), ty = i / (tile_x + 2);
    tile[ty][tx] = in[clamp_index(top + ty, height) * width + clamp_index(left + tx, width)];
  }
  __syncthreads();
  const int x = left + 1 + threadIdx.x, y = top + 1 + threadIdx.y;
  if (x >= width || y >= height) return;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int gx = tile[ty - 1][tx + 1] + 2 * tile[ty][tx + 1] + tile[ty + 1][tx + 1] - tile[ty - 1][tx - 1] -
                 2 * tile[ty][tx - 1] - tile[ty + 1][tx - 1];
  const int gy = tile[ty + 1][tx - 1] + 2 * tile[ty + 1][tx] + tile[ty + 1][tx + 1] - tile[ty - 1][tx - 1] -
                 2 * tile[ty - 1][tx] - tile[ty - 1][tx + 1];
  out[y * width + x] = static_cast<unsigned char>(min(255, abs(gx) + abs(gy)));
}

// White where the pixel is at least `level`.
extern "C" __global__ void threshold(const unsigned char* in, unsigned char* out, int level, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] >= level ? 255 : 0;
}

// 256 bins. Each block counts in shared memory, then adds to the whole. Wants at least one thread; `bins` starts at zero.
extern "C" __global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[in[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    if (local[i] != 0) atomicAdd(&bins[i], local[i]);
  }
}

// Look-up table that spreads the grey levels evenly, by an inclusive scan of the histogram: one block of 256 threads.
extern "C" __global__ void equalisation_table(const unsigned* bins, unsigned char* table, int n) {
  __shared__ unsigned sums[256];
  const int i = threadIdx.x;
  sums[i] = bins[i];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    const unsigned before = i >= step ? sums[i - step] : 0;
    __syncthreads();
    sums[i] += before;
    __syncthreads();
  }
  // The darkest level there is becomes 0. sums[] is not zero from it on.
  __shared__ unsigned darkest;
  if (i == 0) darkest = n;
  __syncthreads();
  if (bins[i] != 0) atomicMin(&darkest, sums[i]);
  __syncthreads();
  const unsigned range = n - darkest;
  const unsigned above = sums[i] > darkest ? sums[i] - darkest : 0;
  table[i] = range == 0 ? i : static_cast<unsigned char>((255ull * above + range / 2) / range);
}

extern "C" __global__ void apply_table(const unsigned char* in, const unsigned char* table, unsigned char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[in[i]];
}

// Tiles of 32 x 32 through shared memory, so that both sides are read and written along rows. Blocks of 32 x 8 threads.
template <typename T>
__device__ void transpose_tile(const T* in, T* out, int width, int height) {
  __shared__ T tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  }
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}
extern "C" __global__ void transpose_bytes(const unsigned char* in, unsigned char* out, int width, int height) {
  transpose_tile(in, out, width, height);
}
extern "C" __global__ void transpose_words(const unsigned* in, unsigned* out, int width, int height) {
  transpose_tile(in, out, width, height);
}

struct Statistics {
  unsigned long long sum;
  unsigned smallest, largest;
};

// Sum, least and greatest value: within a warp by shuffles, then by atomics. `result` starts as {0, 255, 0}.
extern "C" __global__ void statistics(const unsigned char* in, Statistics* result, int n) {
  unsigned long long sum = 0;
  unsigned smallest = 255, largest = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned v = in[i];
    sum += v;
    smallest = min(smallest, v);
    largest = max(largest, v);
  }
  for (int step = 16; step > 0; step /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, step);
    smallest = min(smallest, __shfl_down_sync(0xffffffffu, smallest, step));
    largest = max(largest, __shfl_down_sync(0xffffffffu, largest, step));
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&result->sum, sum);
    atomicMin(&result->smallest, smallest);
    atomicMax(&result->largest, largest);
  }
}

// Inclusive scan of each row: one block of 256 threads (8 warps) a row, 256 elements a turn. Rows of `in` are bytes at
// first, and sums when the second pass of a summed-area table scans the transposed first one.
template <typename T>
__device__ void scan_row(const T* in, unsigned* out, int width) {
  __shared__ unsigned warp_sums[8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const T* from = in + static_cast<long long>(blockIdx.x) * width;
  unsigned* to = out + static_cast<long long>(blockIdx.x) * width;
  unsigned carry = 0;
  for (int start = 0; start < width; start += 256) {
    const int x = start + threadIdx.x;
    unsigned value = x < width ? from[x] : 0;
    for (int step = 1; step < 32; step *= 2) {
      const unsigned before = __shfl_up_sync(0xffffffffu, value, step);
      if (lane >= step) value += before;
    }
    if (lane == 31) warp_sums[warp] = value;
    __syncthreads();
    unsigned before = carry, total = 0;
    for (int w = 0; w < 8; ++w) {
      if (w < warp) before += warp_sums[w];
      total += warp_sums[w];
    }
    if (x < width) to[x] = before + value;
    carry += total;
    __syncthreads();
  }
}
extern "C" __global__ void scan_rows_bytes(const unsigned char* in, unsigned* out, int width) { scan_row(in, out, width); }
extern "C" __global__ void scan_rows_words(const unsigned* in, unsigned* out, int width) { scan_row(in, out, width); }

// Black where a pixel is darker than `percent` of the mean around it, which the summed-area table gives (stored
// transposed: sums[x * height + y]).
extern "C" __global__ void adaptive_threshold(const unsigned char* in, const unsigned* sums, unsigned char* out, int width,
                                              int height, int radius, int percent) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int left = max(x - radius, 0), right = min(x + radius, width - 1);
  const int top = max(y - radius, 0), bottom = min(y + radius, height - 1);
  unsigned sum = sums[right * height + bottom];
  if (left > 0) sum -= sums[(left - 1) * height + bottom];
  if (top > 0) sum -= sums[right * height + top - 1];
  if (left > 0 && top > 0) sum += sums[(left - 1) * height + top - 1];
  const unsigned count = (right - left + 1) * (bottom - top + 1);
  out[y * width + x] = in[y * width + x] * count * 100u < sum * percent ? 0 : 255;
}

__device__ void order(int& a, int& b) {
  const int low = min(a, b);
  b = max(a, b);
  a = low;
}

// Median of the nine pixels around, by a sorting network of 19 exchanges (Smith 1996).
extern "C" __global__ void median(const unsigned char* in, unsigned char* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int v[9];
  for (int i = 0; i < 9; ++i) {
    v[i] = in[clamp_index(y + i / 3 - 1, height) * width + clamp_index(x + i % 3 - 1, width)];
  }
  order(v[1], v[2]), order(v[4], v[5]), order(v[7], v[8]), order(v[0], v[1]), order(v[3], v[4]), order(v[6], v[7]);
  order(v[1], v[2]), order(v[4], v[5]), order(v[7], v[8]), order(v[0], v[3]), order(v[5], v[8]), order(v[4], v[7]);
  order(v[3], v[6]), order(v[1], v[4]), order(v[2], v[5]), order(v[4], v[7]), order(v[4], v[2]), order(v[6], v[4]);
  order(v[4], v[2]);
  out[y * width + x] = static_cast<unsigned char>(v[4]);
}

// Smooths but keeps edges: weights fall with distance and with the difference of grey values.
extern "C" __global__ void bilateral(const unsigned char* in, unsigned char* out, int width, int height, int radius,
                                     float per_distance, float per_difference) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float centre = in[y * width + x];
  float sum = 0, weights = 0;
  for (int dy = -radius; dy <= radius; ++dy) {
    for (int dx = -radius; dx <= radius; ++dx) {
      const float value = in[clamp_index(y + dy, height) * width + clamp_index(x + dx, width)];
      const float difference = value - centre;
      const float weight = expf(-(dx * dx + dy * dy) * per_distance - difference * difference * per_difference);
      sum += weight * value;
      weights += weight;
    }
  }
  out[y * width + x] = to_byte(sum / weights);
}
