// The kernels of Marrow's five benchmarks, and of one with a reduction. Each sees its part alone.

// Filters of a grey image, by lines. Two elements for each thread in all three.
__device__ unsigned noise_bits(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}
// Gaussian noise: the sum of four uniform numbers. The place in the whole image is its seed, so that it does not depend
// on the split.
extern "C" __global__ void gaussian_noise(int size, long long offset, float strength, const float* from, float* to) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = i; k < i + 2 && k < size; ++k) {
    unsigned seed = noise_bits((unsigned)(offset + k));
    float sum = 0;
    for (int n = 0; n < 4; ++n) {
      seed = noise_bits(seed + n);
      sum += (float)(seed >> 8) * (1.0f / 16777216.0f) - 0.5f;
    }
    to[k] = fminf(fmaxf(from[k] + strength * sum, 0.0f), 1.0f);
  }
}
extern "C" __global__ void solarize(int size, float threshold, float* image) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = i; k < i + 2 && k < size; ++k)
    if (image[k] > threshold) image[k] = 1.0f - image[k];
}
extern "C" __global__ void mirror(int size, int width, const float* from, float* to) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = i; k < i + 2 && k < size; ++k) to[k] = from[k / width * width + width - 1 - k % width];
}

// Transforms of 512 complex numbers: Stockham's form of radix 2, in shared memory. A block is one warp of 32 threads,
// whose barriers cost next to nothing. It computes the factors once for its eight transforms. `size`: complex numbers.
extern "C" __global__ void fft512(int size, float direction, float scale, float2* data) {
  __shared__ float2 a[512], b[512], factors[512];
  const int t = threadIdx.x, transforms = min(8, size / 512 - 8 * (int)blockIdx.x);
  for (int done = 1; done < 512; done *= 2)
    for (int inner = t; inner < done; inner += 32)
      sincospif(direction * (float)inner / (float)done, &factors[done + inner].y, &factors[done + inner].x);
  float2* mine = data + 8 * 512ll * blockIdx.x;
  for (int k = 0; k < transforms; ++k, mine += 512) {
    float2 *from = a, *to = b;
    __syncthreads();
    for (int i = 0; i < 16; ++i) from[t + 32 * i] = mine[t + 32 * i];
    __syncthreads();
#pragma unroll
    for (int done = 1; done < 512; done *= 2) {
#pragma unroll 1
      for (int i = 0; i < 8; ++i) {
        const int at = t + 32 * i, inner = at & (done - 1), place = 2 * at - inner;
        const float2 u = from[at], v = from[at + 256], factor = factors[done + inner];
        const float2 w = {v.x * factor.x - v.y * factor.y, v.x * factor.y + v.y * factor.x};
        to[place] = {u.x + w.x, u.y + w.y};
        to[place + done] = {u.x - w.x, u.y - w.y};
      }
      __syncthreads();
      float2* other = from;
      from = to;
      to = other;
    }
    for (int i = 0; i < 16; ++i) mine[t + 32 * i] = {scale * from[t + 32 * i].x, scale * from[t + 32 * i].y};
  }
}

// Bodies attract each other: positions and masses of all, the part's velocities and next positions.
extern "C" __global__ void nbody(int size, long long offset, int bodies, float step, const float4* all, float4* velocity,
                                 float4* next) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float4 me = all[offset + i];
  float x = 0, y = 0, z = 0;
  for (int k = 0; k < bodies; ++k) {
    float4 other = all[k];
    float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
    float pull = other.w * inverse * inverse * inverse;
    x += pull * dx;
    y += pull * dy;
    z += pull * dz;
  }
  float4 v = velocity[i];
  v.x += step * x;
  v.y += step * y;
  v.z += step * z;
  velocity[i] = v;
  next[i] = {me.x + step * v.x, me.y + step * v.y, me.z + step * v.z, me.w};
}

extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// A grey volume in three classes.
extern "C" __global__ void segment(int size, unsigned low, unsigned high, const unsigned char* from, unsigned char* to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) to[i] = from[i] < low ? 0 : from[i] < high ? 128 : 255;
}

// A block is one warp. Each thread counts its 256 elements in a column of its own, which lies in a bank of its own: it
// needs no atomics, and equal elements side by side do not wait for each other.
extern "C" __global__ void histogram_and_dot(int n, const float* x, const float* y, unsigned* bins, double* dot) {
  __shared__ unsigned local[64][32];
  const int lane = threadIdx.x, begin = blockIdx.x * 32 * 256, end = min(n, begin + 32 * 256);
  for (int bin = 0; bin < 64; ++bin) local[bin][lane] = 0;
  double sum = 0;
  const auto add = [&](int i) {
    ++local[(unsigned)(x[i] * 63.0f) & 63u][lane];
    sum += (double)x[i] * y[i];
  };
  if (end == begin + 32 * 256) {  // no test for each element
#pragma unroll 4
    for (int k = 0; k < 256; ++k) add(begin + lane + 32 * k);
  } else {
    for (int i = begin + lane; i < end; i += 32) add(i);
  }
  __syncthreads();
  for (int bin = lane; bin < 64; bin += 32) {
    unsigned count = 0;
    for (int k = 0; k < 32; ++k) count += local[bin][(lane + k) & 31];
    atomicAdd(bins + bin, count);
  }
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  if (lane == 0) atomicAdd(dot, sum);
}
