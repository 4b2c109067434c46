// Shared, constant and local memory, vectors, volatile, initialised data, bytes, atomics.
__device__ int counters[4] = {1, 2, 3, 4};
__device__ float table[2][3] = {{1.5f, -2.5f, 3.0f}, {4.0f}};
__device__ const char text[] = "hello";
__device__ unsigned long long wide = 0xFFFFFFFFFFFFFFFFull;
__device__ double half_pi = 1.5707963267948966;
__device__ int* pointer = &counters[2];
__managed__ int shared_with_host = 3;
__constant__ int limits[16];

extern "C" __global__ void transpose(float* out, const float* in, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < n && y + j < n) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < n && y + j < n) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void dynamic(int* out) {
  extern __shared__ int buffer[];
  buffer[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x] + limits[threadIdx.x & 15];
}

extern "C" __global__ void vectors(float4* a, const double2* b, uchar4* c, const short2* d) {
  int i = threadIdx.x;
  float4 v = a[i];
  double2 w = b[i];
  uchar4 u = c[i];
  short2 s = d[i];
  a[i] = make_float4(v.w, v.z + (float)w.x, v.y + (float)w.y, v.x + s.x);
  c[i] = make_uchar4(u.y, u.x, (unsigned char)s.y, (unsigned char)v.x);
}

extern "C" __global__ void locals(int* out, int n) {
  int scratch[64];
  for (int i = 0; i < 64; ++i) scratch[i] = out[i] + n;
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += scratch[(i * 7) & 63];
  out[threadIdx.x] = sum + scratch[out[0] & 63] + text[n % 5] + *pointer + (int)table[n & 1][n % 3] + (int)half_pi;
}

extern "C" __global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d, volatile int* v) {
  atomicAdd(i, 1);
  atomicMax(i + 1, (int)threadIdx.x);
  atomicCAS(u, 1u, 2u);
  unsigned old = atomicInc(u + 1, 10u) + atomicDec(u + 2, 10u) + atomicExch(u + 3, 5u);
  atomicAnd(u + 4, old);
  atomicAdd(l, 3ull);
  atomicAdd(f, 1.0f);
  atomicAdd(d, 1.0);
  atomicAdd_block(i + 2, 1);
  atomicAdd_system(i + 3, 1);
  v[0] = v[1] + 1;
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  atomicAdd(&counters[1], 1);
  atomicAdd(&shared_with_host, 1);
  wide += 1;
}
