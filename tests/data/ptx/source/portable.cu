// Kernels for clang without any CUDA headers.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define noinline __attribute__((noinline))
__device__ static inline int tid() { return __nvvm_read_ptx_sreg_tid_x(); }
__device__ static inline int index() {
  return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
}
extern "C" __device__ int vprintf(const char*, void*);
extern "C" __device__ double external(double, int);

extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = index();
  if (i < n) y[i] = a * x[i] + y[i];
}

__constant__ float weights[3][3] = {{0.1f, 0.2f}, {0.5f}};
__device__ long offsets[] = {-1, 2, 1l << 40};
__device__ const char* names[] = {"one", "two"};
__device__ int zero[100];
extern "C" __global__ void blur(float* out, const float* in, int w, int h) {
  __shared__ float tile[34];
  const int x = index(), y = __nvvm_read_ptx_sreg_ctaid_y();
  tile[tid()] = in[y * w + x];
  __syncthreads();
  float sum = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) sum += weights[dy][dx] * (dy == 1 ? tile[tid() + dx] : in[(y + dy) * w + x + dx]);
  out[y * w + x] = sum + offsets[x % 3] + names[x & 1][1] + zero[x];
}

struct Item { double value; int keys[3]; char tag; };
__device__ noinline Item pick(Item a, Item b, bool first) { return first ? a : b; }
__device__ noinline int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
extern "C" __global__ void items(Item* list, int (*operation)(int, int)) {
  Item a = pick(list[0], list[1], tid() & 1);
  a.keys[0] = operation(gcd(a.keys[1], a.keys[2]), 3);
  a.value = external(a.value, a.tag);
  list[tid()] = a;
  struct { int i; double d; } arguments = {tid(), a.value};
  vprintf("%d %f\n", &arguments);
}

extern "C" __global__ void shuffles(int* x, unsigned long long* sums) {
  int v = x[tid()];
  v += __nvvm_shfl_sync_down_i32(-1, v, 16, 31);
  v += __nvvm_shfl_sync_bfly_i32(-1, v, 1, 31);
  if (__nvvm_vote_any_sync(-1, v > 3)) v = __nvvm_vote_ballot_sync(-1, v == 0);
  __nvvm_atom_add_gen_i(x, v);
  __atomic_fetch_add(sums, v, __ATOMIC_SEQ_CST);
  x[tid() + 1] = v;
  switch (v) {
    case 1: x[2] = 5; break;
    case 2: x[3] = x[4] * 7; break;
    case 3: x[4] = x[3] / 9; break;
    case 4: x[5] = x[1] % 9; break;
    case 5: x[6] = x[9] ^ 77; break;
    case 6: x[7] = x[9] << 7; break;
  }
}
typedef float float4v __attribute__((ext_vector_type(4)));
extern "C" __global__ void wide(float4v* v, _Float16* h, unsigned char* c, __int128* big, double* d) {
  v[tid()] = v[tid()].wzyx * 2.0f;
  h[tid()] = h[tid()] * h[0] + (_Float16)c[3];
  c[tid()] = (unsigned char)d[1];
  big[0] = big[1] * big[2];
  d[0] = __builtin_sqrt(d[1]) + __builtin_fma(d[1], d[2], d[3]);
}
