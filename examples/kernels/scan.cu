// Inclusive scans: Hillis and Steele in shared memory, Blelloch's work-efficient tree, and shuffles in two levels.
extern "C" __global__ void scan_hillis_steele(int n, const int* in, int* out, int* block_sums) {
  extern __shared__ int buffer[];
  int thread = threadIdx.x, i = blockIdx.x * blockDim.x + thread, from = 0;
  buffer[thread] = i < n ? in[i] : 0;
  __syncthreads();
  for (int offset = 1; offset < blockDim.x; offset *= 2) {
    int to = 1 - from;
    int v = buffer[from * blockDim.x + thread];
    if (thread >= offset) v += buffer[from * blockDim.x + thread - offset];
    buffer[to * blockDim.x + thread] = v;
    from = to;
    __syncthreads();
  }
  if (i < n) out[i] = buffer[from * blockDim.x + thread];
  if (thread == blockDim.x - 1 && block_sums) block_sums[blockIdx.x] = buffer[from * blockDim.x + thread];
}

// Exclusive; each block scans 2 blockDim.x elements.
extern "C" __global__ void scan_blelloch(int n, const int* in, int* out) {
  extern __shared__ int tree[];
  int thread = threadIdx.x, size = 2 * blockDim.x, base = blockIdx.x * size, stride = 1;
  tree[2 * thread] = base + 2 * thread < n ? in[base + 2 * thread] : 0;
  tree[2 * thread + 1] = base + 2 * thread + 1 < n ? in[base + 2 * thread + 1] : 0;
  for (int d = size / 2; d > 0; d /= 2) {
    __syncthreads();
    if (thread < d) tree[stride * (2 * thread + 2) - 1] += tree[stride * (2 * thread + 1) - 1];
    stride *= 2;
  }
  if (thread == 0) tree[size - 1] = 0;
  for (int d = 1; d < size; d *= 2) {
    stride /= 2;
    __syncthreads();
    if (thread < d) {
      int a = stride * (2 * thread + 1) - 1, b = stride * (2 * thread + 2) - 1, t = tree[a];
      tree[a] = tree[b];
      tree[b] += t;
    }
  }
  __syncthreads();
  if (base + 2 * thread < n) out[base + 2 * thread] = tree[2 * thread];
  if (base + 2 * thread + 1 < n) out[base + 2 * thread + 1] = tree[2 * thread + 1];
}

extern "C" __global__ void scan_shuffle(int n, const float* in, float* out) {
  __shared__ float warps[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float v = i < n ? in[i] : 0.0f;
  for (int d = 1; d < 32; d *= 2) {
    float other = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += other;
  }
  if (lane == 31) warps[warp] = v;
  __syncthreads();
  if (warp == 0) {
    float w = lane < blockDim.x / 32 ? warps[lane] : 0.0f;
    for (int d = 1; d < 32; d *= 2) {
      float other = __shfl_up_sync(0xffffffffu, w, d);
      if (lane >= d) w += other;
    }
    warps[lane] = w;
  }
  __syncthreads();
  if (warp > 0) v += warps[warp - 1];
  if (i < n) out[i] = v;
}
