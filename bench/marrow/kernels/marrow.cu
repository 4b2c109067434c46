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

// One transform of 512 complex numbers for each block of 256 threads: Stockham's form of radix 2, in shared memory.
extern "C" __global__ void fft512(float direction, float scale, float2* data) {
  __shared__ float2 a[512], b[512];
  float2* from = a;
  float2* to = b;
  float2* mine = data + 512ll * blockIdx.x;
  int t = threadIdx.x;
  from[t] = mine[t];
  from[t + 256] = mine[t + 256];
  __syncthreads();
  for (int done = 1; done < 512; done *= 2) {
    int inner = t & (done - 1);
    float sine, cosine;
    sincospif(direction * (float)inner / (float)done, &sine, &cosine);
    float2 u = from[t], v = from[t + 256];
    float2 w = {v.x * cosine - v.y * sine, v.x * sine + v.y * cosine};
    int place = 2 * t - inner;
    to[place] = {u.x + w.x, u.y + w.y};
    to[place + done] = {u.x - w.x, u.y - w.y};
    __syncthreads();
    float2* other = from;
    from = to;
    to = other;
  }
  mine[t] = {scale * from[t].x, scale * from[t].y};
  mine[t + 256] = {scale * from[t + 256].x, scale * from[t + 256].y};
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

extern "C" __global__ void histogram_and_dot(int n, const float* x, const float* y, unsigned* bins, double* dot) {
  __shared__ unsigned local[64];
  __shared__ double sum;
  if (threadIdx.x < 64) local[threadIdx.x] = 0;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&local[(unsigned)(x[i] * 63.0f) & 63u], 1u);
    atomicAdd(&sum, (double)x[i] * y[i]);
  }
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(bins + threadIdx.x, local[threadIdx.x]);
  if (threadIdx.x == 0) atomicAdd(dot, sum);
}
