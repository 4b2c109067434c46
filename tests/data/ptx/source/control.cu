// Loops, switches, recursion, indirect calls, device functions that stay functions.
__device__ __noinline__ int collatz(int n) {
  int steps = 0;
  while (n != 1 && steps < 1000) {
    n = (n & 1) ? 3 * n + 1 : n / 2;
    ++steps;
  }
  return steps;
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

struct Pair {
  double sum;
  int count;
  short parts[3];
};
__device__ __noinline__ Pair combine(Pair a, Pair b) {
  a.sum += b.sum;
  a.count += b.count;
  a.parts[1] = b.parts[2];
  return a;
}

typedef int (*Operation)(int);
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int negate(int x) { return -x; }
__device__ Operation operations[3] = {twice, negate, collatz};

extern "C" __global__ void calls(int* out, int n, Pair p) {
  int i = threadIdx.x;
  Pair q = combine(p, Pair{1.0 * i, i, {1, 2, 3}});
  out[i] = collatz(i + 1) + fibonacci(i % 10) + operations[i % 3](i) + q.count + (int)q.sum + q.parts[1];
}

extern "C" __global__ void dispatch(int* out, const int* kind) {
  int i = threadIdx.x, v = 0;
  switch (kind[i]) {
    case 0: v = i * 3; break;
    case 1: v = out[i] - 7; break;
    case 2: v = out[i + 1] ^ i; break;
    case 3: v = out[i + 2] / 3; break;
    case 4: v = __popc(out[i]); break;
    case 5: v = out[i] << 2; break;
    case 6: v = out[i + 3] % 11; break;
    case 7: v = 99; break;
    default: v = -1;
  }
  out[i] = v;
}

extern "C" __global__ void __launch_bounds__(128, 4) bounded(float* x, int n) {
  for (int i = threadIdx.x; i < n; i += 128) {
    float v = x[i];
#pragma unroll 1
    for (int k = 0; k < 10; ++k) v = v * v + 0.5f;
    x[i] = v;
  }
}

template <int N>
__device__ float poly(const float* c, float x) {
  float r = 0;
#pragma unroll
  for (int i = 0; i < N; ++i) r = r * x + c[i];
  return r;
}
__constant__ float coefficients[8] = {1, 2, 3, 4, 5, 6, 7, 0.125f};
extern "C" __global__ void polynomial(float* x) { x[threadIdx.x] = poly<8>(coefficients, x[threadIdx.x]); }
